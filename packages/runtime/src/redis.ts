import { Redis } from 'ioredis'
import type { Log } from './log'

/**
 * One connection for commands that must answer at once or fail: while Redis is away a command is
 * refused instead of queued, so callers can fall back.
 */
export function createRedis(url: string, prefix: string, log: Log): Redis {
  const redis = new Redis(url, {
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
