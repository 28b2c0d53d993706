import type { RoleUrls } from '@worlds/schema/roles'
import type { S3Access } from './s3-access'
import { type ServiceName, type ServiceOptions, ServiceProcess } from './service-process'
import type { TicketKeys } from './ticket-keys'

export interface ConstellationOptions extends Omit<ServiceOptions, 'service' | 'env' | 'onLine'> {
  readonly urls: RoleUrls
  readonly redisUrl: string
  readonly redisPrefix: string
  readonly serviceToken: string
  readonly peppers: string
  /** File and upload host run too; without them uploads are not configured. */
  readonly files: FilesOptions | null
  readonly elements: number
  readonly gateways: number
  /** Processes of every other service. */
  readonly replicas?: number
  /** Each gateway is told of one element process alone, in turn, instead of all. */
  readonly pinGateways?: boolean
  /** Added to a service's environment; the name of one process (`element-2`) after the service's own. */
  readonly env: Record<string, Record<string, string> | undefined>
  readonly onLine?: (name: string, line: string) => void
}

export interface FilesOptions {
  readonly s3: S3Access
  readonly bucket: string
  readonly ticketKeys: TicketKeys
  /** `id:secret`, for download links. */
  readonly linkSecrets: string
  readonly uploadHosts: number
}

/** Named `element`, `element-2`, …, `membership`, `change-feed`, `upload-host`, `file`, `gateway`, `gateway-2`, …, in the order they started. */
export type Constellation = ReadonlyMap<string, ServiceProcess>

/**
 * Starts every service as a process of its own, each after those it calls, and fills `into` as they
 * come, so that whoever called can stop what had started when one fails.
 */
export async function startConstellation(
  options: ConstellationOptions,
  into: Map<string, ServiceProcess>,
): Promise<void> {
  const { urls } = options
  const addresses = (service: ServiceName) =>
    [...into]
      .filter(([name]) => isReplica(name, service))
      .map(([, { address }]) => address)
      .join(',')
  const start = (service: ServiceName, name: string, env: Record<string, string>) =>
    startOne(options, into, service, name, env)

  await Promise.all(
    namesOf('element', options.elements).map((name) => start('element', name, { DATABASE_URL: urls.element })),
  )
  const { replicas = 1 } = options
  const membership = { DATABASE_URL: urls.membership, ELEMENT_ADDRESSES: addresses('element') }
  await Promise.all([
    ...namesOf('membership', replicas).map((name) => start('membership', name, membership)),
    ...namesOf('change-feed', replicas).map((name) => start('change-feed', name, { DATABASE_URL: urls.changeFeed })),
    startFiles(options, into, addresses('element')),
  ])
  const known = {
    ELEMENT_ADDRESSES: addresses('element'),
    MEMBERSHIP_ADDRESSES: addresses('membership'),
    CHANGE_FEED_ADDRESSES: addresses('change-feed'),
    FILE_ADDRESSES: addresses('file'),
  }
  const elements = known.ELEMENT_ADDRESSES.split(',')
  const pinned = (index: number) =>
    options.pinGateways ? { ELEMENT_ADDRESSES: elements[index % elements.length] ?? '' } : {}
  await Promise.all(
    namesOf('gateway', options.gateways).map((name, index) => start('gateway', name, { ...known, ...pinned(index) })),
  )
}

/** Stops those who call before those who are called. */
export async function stopConstellation(processes: Constellation): Promise<void> {
  const stop = (wanted: (name: string) => boolean) =>
    Promise.all([...processes].filter(([name]) => wanted(name)).map(([, process]) => process.stop()))
  await stop((name) => isReplica(name, 'gateway'))
  await stop((name) => !isReplica(name, 'gateway') && !isReplica(name, 'element'))
  await stop((name) => isReplica(name, 'element'))
}

/** Tickets name the address that images are served at, so the upload host needs not know it and starts first. */
async function startFiles(
  options: ConstellationOptions,
  into: Map<string, ServiceProcess>,
  elementAddresses: string,
): Promise<void> {
  const { files, urls } = options
  if (files === null) return
  const objects = {
    S3_ENDPOINT: files.s3.endpoint,
    S3_BUCKET: files.bucket,
    S3_FORCE_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: files.s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: files.s3.secretAccessKey,
    S3_CONDITIONAL_PUTS: String(files.s3.conditionalPuts),
    S3_CREATE_BUCKET: 'true',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  }
  const keys = { TICKET_PUBLIC_KEYS: files.ticketKeys.publicKey }
  const names = namesOf('upload-host', files.uploadHosts)
  await Promise.all(names.map((name) => startOne(options, into, 'upload-host', name, { ...objects, ...keys })))
  const env = {
    ...objects,
    DATABASE_URL: urls.file,
    ELEMENT_ADDRESSES: elementAddresses,
    TICKET_SIGNING_KEY: files.ticketKeys.signingKey,
    LINK_SECRETS: files.linkSecrets,
    UPLOAD_URL: `${into.get('upload-host')?.address}/v1/upload`,
  }
  await Promise.all(namesOf('file', options.replicas ?? 1).map((name) => startOne(options, into, 'file', name, env)))
}

export function isReplica(name: string, service: ServiceName): boolean {
  return name === service || new RegExp(`^${service}-\\d+$`).test(name)
}

async function startOne(
  options: ConstellationOptions,
  into: Map<string, ServiceProcess>,
  service: ServiceName,
  name: string,
  env: Record<string, string>,
): Promise<void> {
  const { onLine, redisUrl, redisPrefix, serviceToken, peppers, ...rest } = options
  const process = new ServiceProcess({
    ...rest,
    service,
    env: {
      HOST: '127.0.0.1',
      REDIS_URL: redisUrl,
      REDIS_PREFIX: redisPrefix,
      SERVICE_TOKEN: serviceToken,
      PEPPERS: peppers,
      ...env,
      ...options.env[service],
      ...options.env[name],
    },
    ...(onLine === undefined ? {} : { onLine: (line: string) => onLine(name, line) }),
  })
  into.set(name, process)
  await process.start()
}

function namesOf(service: ServiceName, count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? service : `${service}-${index + 1}`))
}
