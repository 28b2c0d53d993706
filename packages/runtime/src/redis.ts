import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { Log } from './log'

/**
 * Opens what a URL names: one server (`redis://host:port`, `rediss://` by TLS), a cluster
 * (`redis+cluster://host:port,host:port`) or the master of a group that sentinels watch
 * (`redis+sentinel://host:port,host:port/name`). All are used alike: every script's keys share a hash tag.
 */
export function openRedis(url: string, options: RedisOptions): Redis {
  const [, tls, kind, credentials = '', hosts = '', name = ''] =
    /^redis(s?)\+(cluster|sentinel):\/\/(?:([^@/]*)@)?([^/]+)(?:\/(.*))?$/.exec(url) ?? []
  if (kind === undefined) return new Redis(url, options)
  const [username = '', password = ''] = credentials.split(':').map(decodeURIComponent)
  const known = {
    ...options,
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(tls === 's' ? { tls: {} } : {}),
  }
  const nodes = hosts.split(',').map(readHost)
  if (kind === 'sentinel') return new Redis({ ...known, sentinels: nodes, name })
  const { keyPrefix, enableOfflineQueue = true, enableAutoPipelining = false, retryStrategy, ...redisOptions } = known
  return new Cluster(nodes, {
    enableOfflineQueue,
    enableAutoPipelining,
    redisOptions,
    ...(keyPrefix === undefined ? {} : { keyPrefix }),
    clusterRetryStrategy: (attempt) => retryStrategy?.(attempt) ?? Math.min(attempt * 50, 1_000),
  }) as unknown as Redis
}

function readHost(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(':')
  const port = Number(text.slice(colon + 1))
  if (colon < 1 || !Number.isInteger(port)) throw new Error(`not host:port: ${text}`)
  return { host: text.slice(0, colon), port }
}

/**
 * One connection for commands that must answer at once or fail: while Redis is away a command is
 * refused instead of queued, so callers can fall back.
 */
export function createRedis(url: string, prefix: string, log: Log): Redis {
  const redis = openRedis(url, {
    keyPrefix: `${prefix}:`,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // Longer than Redis may stall while it waits for its append-only file.
    commandTimeout: 3_000,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  })
  let away = false
  redis.on('error', (error) => {
    if (!away) log.warn({ err: error }, 'Redis is away')
    away = true
  })
  redis.on('ready', () => {
    if (away) log.info('Redis is back')
    away = false
  })
  return redis
}

/** Resolves once the first connection stands, or after `timeoutMs` without one. */
export async function firstConnection(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs)
    redis.once('ready', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
