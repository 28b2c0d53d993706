import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Say } from './embedded-binaries'
import { freePort } from './free-port'
import { type RedisServer, startRedis } from './redis-server'
import { until } from './until'

export interface RedisCluster {
  /** `redis+cluster://…` */
  readonly url: string
  /** Of its servers, one by one. */
  readonly urls: readonly string[]
  stop(): Promise<void>
}

const slots = 16_384

/** Three masters without replicas, each with a third of the slots. */
export async function startRedisCluster(dir: string, say: Say): Promise<RedisCluster> {
  const servers: Member[] = []
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  try {
    for (const name of ['a', 'b', 'c']) {
      const busPort = await freePort()
      servers.push({ busPort, ...(await startRedis({ dir: join(dir, name), durable: false, busPort, say })) })
    }
    await unite(servers)
  } catch (error) {
    await stop()
    throw error
  }
  const urls = servers.map(({ url }) => url)
  return { url: `redis+cluster://${urls.map((url) => new URL(url).host).join()}`, urls, stop }
}

type Member = RedisServer & { readonly busPort: number }

async function unite(servers: readonly Member[]): Promise<void> {
  const clients = servers.map(({ url }) => new Redis(url))
  try {
    const share = Math.ceil(slots / clients.length)
    for (const [index, client] of clients.entries()) {
      const last = Math.min((index + 1) * share, slots) - 1
      await client.call('CLUSTER', 'ADDSLOTSRANGE', index * share, last)
      const [first] = servers
      await client.call('CLUSTER', 'MEET', '127.0.0.1', new URL(first?.url ?? '').port, first?.busPort ?? 0)
    }
    for (const client of clients) {
      await until(async () => {
        const info = String(await client.call('CLUSTER', 'INFO'))
        return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')
      })
    }
  } finally {
    for (const client of clients) client.disconnect()
  }
}
