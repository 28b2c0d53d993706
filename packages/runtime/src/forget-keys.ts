import type { Cluster, Redis } from 'ioredis'

/** Deletes every key that begins so, under the connection's own prefix, on every server of a cluster. */
export async function forgetKeys(redis: Redis, beginning: string): Promise<number> {
  const prefix = redis.options.keyPrefix ?? ''
  const servers = redis.isCluster ? (redis as unknown as Cluster).nodes('master') : [redis]
  let count = 0
  for (const server of servers) {
    for (let cursor = '0'; ; ) {
      const [next, keys] = await server.scan(cursor, 'MATCH', `${prefix}${beginning}*`, 'COUNT', 1_000)
      // One by one, for keys of a cluster are in different slots; they travel together all the same.
      await Promise.all(keys.map((key) => redis.unlink(key.slice(prefix.length))))
      count += keys.length
      if (next === '0') break
      cursor = next
    }
  }
  return count
}
