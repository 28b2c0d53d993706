/** Pods: those that the test makes, by the operator's image unless said, and those of the release. */
import { getJson, inPod } from './run.mjs'
import { release } from './settings.mjs'

/** A pod as the restricted standard wants it. */
export function podOf(name, { image = 'localhost/worlds/ops:dev', args, env = [], resources, labels = {}, ...spec }) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name,
          image,
          imagePullPolicy: 'IfNotPresent',
          args,
          env,
          resources: resources ?? { requests: { cpu: '10m', memory: '32Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
      ...spec,
    },
  }
}

/** A service's pods that are not on their way out. */
export async function podsOf(service) {
  return (await allPodsOf(service)).filter(({ isLeaving }) => !isLeaving)
}

export async function allPodsOf(service) {
  const selector = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${service},pod-template-hash`
  const { items } = await getJson('pods', '-l', selector)
  return items.map(({ metadata, status }) => ({
    name: metadata.name,
    uid: metadata.uid,
    isLeaving: metadata.deletionTimestamp !== undefined,
    ip: status.podIP,
    isReady: (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    restarts: (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0),
  }))
}

/** How many calls a pod has answered, by its own metrics. */
export async function callsOf(pod, metric) {
  const text = await inPod(pod, "process.stdout.write(await (await fetch('http://127.0.0.1:9090/metrics')).text())")
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}_count`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

export function metricOf({ isGrpc }) {
  return isGrpc ? 'rpc_server_duration_seconds' : 'http_server_duration_seconds'
}
