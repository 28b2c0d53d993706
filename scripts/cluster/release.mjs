/** The namespace with what the chart asks for, and the release in it. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makeTicketKeys } from '@worlds/testkit/ticket-keys'
import { apply, helm, run } from './run.mjs'
import { chart, here, release, settings } from './settings.mjs'
import { postgresPassword } from './stores.mjs'
import { makeCertificates } from './tls.mjs'

/** The strictest standard: a pod that is not as it says is refused. */
export async function makeNamespace(stores) {
  const labels = {}
  for (const mode of ['enforce', 'warn']) labels[`pod-security.kubernetes.io/${mode}`] = 'restricted'
  for (const name of [settings.namespace, settings.monitoring]) {
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
    await run('kubectl', ['create', '-f', '-'], { input: JSON.stringify(space) })
  }
  await apply(...secrets(stores), ...(settings.tls ? [secret('worlds-tls', await makeCertificates())] : []))
}

export async function removeNamespaces() {
  for (const name of [settings.namespace, settings.monitoring]) {
    await run('kubectl', ['delete', 'namespace', name, '--ignore-not-found', '--timeout=120s'], { timeoutMs: 150_000 })
  }
}

export function secret(name, stringData) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData }
}

function secrets({ postgresAt, redisUrl, s3 }) {
  const random = () => randomBytes(24).toString('hex')
  const tickets = makeTicketKeys()
  const services = ['element', 'membership', 'change-feed', 'file']
  const passwords = Object.fromEntries(services.map((service) => [service, random()]))
  const urlOf = (user, password) => `postgres://${user}:${password}@${postgresAt}/worlds`
  const urls = services.map((service) => [
    `${service}-url`,
    urlOf(`worlds_${service.replace('-', '_')}`, passwords[service]),
  ])
  return [
    secret('worlds-secrets', {
      'service-token': random(),
      peppers: `p1:${random()}`,
      'link-secrets': `l1:${random()}`,
      'ticket-signing-key': tickets.signingKey,
      'ticket-public-keys': tickets.publicKey,
    }),
    secret('worlds-postgres', Object.fromEntries(urls)),
    secret('worlds-migrations', {
      'owner-url': urlOf('postgres', postgresPassword),
      ...Object.fromEntries(services.map((service) => [`${service}-password`, passwords[service]])),
    }),
    secret('worlds-redis', { url: redisUrl }),
    secret('worlds-s3', { 'access-key-id': s3.accessKeyId, 'secret-access-key': s3.secretAccessKey }),
  ]
}

/** Values that a step has set for all that follow. */
export const always = settings.tls ? ['tls.existingSecret=worlds-tls'] : []

/** `helm install` or `helm upgrade` with the test's values and more of them. Hands back all that was said. */
export async function deploy(verb, { s3 }, ...more) {
  const values = ['-f', join(here, 'values.yaml')]
  const given = { 's3.endpoint': s3.endpoint, 's3.conditionalPuts': s3.conditionalPuts }
  for (const [key, value] of Object.entries(given)) values.push('--set', `${key}=${value}`)
  for (const value of [...always, ...more]) values.push('--set', value)
  const { stdout, stderr } = await helm([verb, release, chart, ...values, '--wait', '--timeout', '10m'])
  return `${stdout}\n${stderr}`
}
