/**
 * Judges what `helm template` printed: node check-rendered.mjs NAME FILE. Everything that is wrong is said, and the
 * exit code is 1. Holds what neither the schemas of Kubernetes nor the chart's unit tests can tell.
 */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

const root = join(import.meta.dirname, '../..')
const [name, file] = process.argv.slice(2)
const faults = []
const fault = (object, what) => faults.push(`${name}: ${object.kind} ${object.metadata?.name}: ${what}`)

const objects = parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => {
  if (document.errors.length > 0) faults.push(`${name}: ${document.errors[0].message}`)
  const object = document.toJS()
  return object === null ? [] : [object]
})
const ofKind = (kind) => objects.filter((object) => object.kind === kind)
/** Of what runs pods, or is one. */
const podOf = (object) => (object.kind === 'Pod' ? object : object.spec?.template)
const workloads = objects.filter((object) => podOf(object)?.spec?.containers !== undefined)
const containersOf = (object) => [...(podOf(object).spec.initContainers ?? []), ...podOf(object).spec.containers]

checkNames()
checkScalers()
checkMetrics()
for (const service of ofKind('Service')) checkService(service)
for (const secret of ofKind('Secret')) fault(secret, 'secrets are never rendered')
for (const workload of workloads) {
  checkPodSecurity(workload)
  for (const container of containersOf(workload)) {
    checkEnv(workload, container)
    checkDocumented(workload, container)
  }
  checkVolumes(workload)
}
const started = ofKind('Deployment').filter(checkConfig).length

for (const one of faults) console.error(one)
if (faults.length > 0) process.exit(1)
console.log(`${name}: ${objects.length} objects, ${started} services read the settings they are given`)

function checkNames() {
  const seen = new Set()
  for (const object of objects) {
    const { kind, metadata } = object
    const id = `${kind} ${metadata?.namespace} ${metadata?.name}`
    if (seen.has(id)) fault(object, 'rendered twice')
    seen.add(id)
    if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(metadata?.name ?? '')) fault(object, 'no good name')
  }
}

/** Two owners of one field: an upgrade that applies on the server's side fails over it. */
function checkScalers() {
  const scaled = [...ofKind('HorizontalPodAutoscaler'), ...ofKind('ScaledObject')].map(
    ({ spec }) => spec.scaleTargetRef.name,
  )
  if (new Set(scaled).size < scaled.length) faults.push(`${name}: a Deployment has two scalers`)
  for (const deployment of ofKind('Deployment')) {
    const isScaled = scaled.includes(deployment.metadata.name)
    if (isScaled && deployment.spec.replicas !== undefined) fault(deployment, 'replicas beside a scaler')
    if (!isScaled && deployment.spec.replicas === undefined) fault(deployment, 'neither replicas nor a scaler')
  }
}

/** Alerts and panels ask for metrics that are documented, by their whole names. */
function checkMetrics() {
  const documented = new Set(readFileSync(join(root, 'docs/settings.md'), 'utf8').match(/[a-z]+(_[a-z0-9]+)+/g))
  const rules = ofKind('PrometheusRule').flatMap(({ spec }) => spec.groups.flatMap((group) => group.rules))
  const boards = ofKind('ConfigMap').flatMap(({ data }) =>
    Object.entries(data).flatMap(([key, text]) => (key.endsWith('.json') ? JSON.parse(text).panels : [])),
  )
  const asked = [...rules.map(({ expr }) => expr), ...boards.flatMap(({ targets }) => targets.map(({ expr }) => expr))]
  for (const metric of asked.flatMap((expr) => expr.match(/[a-z_]+(?=\{)/g) ?? ['none'])) {
    if (!documented.has(metric.replace(/_(bucket|count|sum)$/, ''))) faults.push(`${name}: no such metric: ${metric}`)
  }
}

/** Whom a Service selects has the port that it leads to. */
function checkService(service) {
  const { selector, ports } = service.spec
  const selected = workloads.filter((workload) =>
    Object.entries(selector).every(([key, value]) => podOf(workload).metadata.labels[key] === value),
  )
  if (selected.length === 0) fault(service, 'selects nobody')
  for (const { targetPort } of ports) {
    for (const workload of selected) {
      const open = containersOf(workload).flatMap((container) => container.ports ?? [])
      if (!open.some((port) => port.name === targetPort))
        fault(service, `${workload.metadata.name} has no ${targetPort}`)
    }
  }
}

/** The "restricted" Pod Security Standard, as far as this chart could offend it; and no user of its own. */
function checkPodSecurity(workload) {
  const pod = podOf(workload).spec
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) if (pod[field]) fault(workload, field)
  if (pod.automountServiceAccountToken !== false) fault(workload, 'mounts a service account token')
  const allowed = [
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'persistentVolumeClaim',
    'projected',
    'secret',
  ]
  for (const { name: volume, ...source } of pod.volumes ?? []) {
    if (!Object.keys(source).every((kind) => allowed.includes(kind))) fault(workload, `volume ${volume}`)
    if (source.emptyDir && source.emptyDir.sizeLimit === undefined) fault(workload, `volume ${volume} has no limit`)
  }
  for (const container of containersOf(workload)) {
    const context = { ...pod.securityContext, ...container.securityContext }
    const is = (isSo, what) => isSo || fault(workload, `${container.name}: ${what}`)
    is(context.runAsNonRoot === true, 'may run as root')
    is(['RuntimeDefault', 'Localhost'].includes(context.seccompProfile?.type), 'no seccomp profile')
    is(context.allowPrivilegeEscalation === false, 'may gain privileges')
    is(context.readOnlyRootFilesystem === true, 'may write its root')
    is(context.capabilities?.drop?.includes('ALL') && !context.capabilities.add, 'has capabilities')
    is(!context.privileged, 'privileged')
    for (const field of ['runAsUser', 'runAsGroup', 'fsGroup']) is(context[field] === undefined, `has a ${field}`)
    for (const { hostPort } of container.ports ?? []) is(hostPort === undefined, 'has a hostPort')
  }
}

function checkEnv(workload, { name: container, env = [] }) {
  const names = env.map((variable) => variable.name)
  if (new Set(names).size < names.length) fault(workload, `${container}: a variable is given twice`)
  if (names.join() !== names.toSorted().join()) fault(workload, `${container}: variables are not sorted`)
  for (const { name: variable, value, valueFrom } of env) {
    const isSecret = /_TOKEN$|PEPPERS|SECRETS?$|PASSWORD|SIGNING_KEY|(DATABASE|REDIS|SMTP)_URL|ACCESS_KEY/.test(
      variable,
    )
    if (isSecret && valueFrom?.secretKeyRef === undefined) fault(workload, `${variable} is no reference to a Secret`)
    for (const [, address] of (value ?? '').matchAll(/dns:([^:,]+):8080/g)) {
      const service = ofKind('Service').find(({ metadata }) => metadata.name === address)
      if (service?.spec.clusterIP !== 'None') fault(workload, `${variable}: ${address} is no headless Service`)
    }
  }
}

/** What a service is given by the chart is documented. */
function checkDocumented(workload, { env = [] }) {
  if (!isService(workload)) return
  const documented = new Set(readFileSync(join(root, 'docs/settings.md'), 'utf8').match(/[A-Z][A-Z0-9_]+/g))
  for (const { name: variable } of env) {
    if (/^(OTEL_|K8S_)/.test(variable) || documented.has(variable)) continue
    fault(workload, `${variable} is not in docs/settings.md`)
  }
}

function isService({ metadata }) {
  const component = metadata.labels['app.kubernetes.io/component']
  return component !== 'ops' && existsSync(join(root, 'services', component))
}

function checkVolumes(workload) {
  const known = new Set((podOf(workload).spec.volumes ?? []).map((volume) => volume.name))
  for (const { name: container, volumeMounts = [] } of containersOf(workload)) {
    for (const mount of volumeMounts)
      if (!known.has(mount.name)) fault(workload, `${container}: no volume ${mount.name}`)
  }
}

/** The service reads its settings and finds nothing missing. Needs the services built; whether it was tried. */
function checkConfig(deployment) {
  const service = deployment.metadata.labels['app.kubernetes.io/component']
  const compiled = join(root, 'services', service, 'dist/config.js')
  if (!isService(deployment) || !existsSync(compiled)) return false
  const pair = generateKeyPairSync('ed25519')
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const secret = 'x'.repeat(48)
  const secrets = { TICKET_SIGNING_KEY: `t1:${key}`, TICKET_PUBLIC_KEYS: `t1:${publicKey}` }
  const [{ env }] = deployment.spec.template.spec.containers
  const given = Object.fromEntries(env.map((one) => [one.name, one.value ?? secrets[one.name] ?? `p1:${secret}`]))
  try {
    const { readConfig } = createRequire(import.meta.url)(compiled)
    readConfig(given)
  } catch (error) {
    fault(deployment, error.message)
  }
  return true
}
