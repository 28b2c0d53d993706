import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { elementV1 } from '@worlds/proto/load'
import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { unary } from '@worlds/runtime/operation'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { createRpcServer } from '@worlds/runtime/rpc-server'

const token = 'a-token-of-a-test-that-guards-nothing'
const scope = { log: createLog('test', 'silent'), metrics: createMetrics('test') }

/** A server that answers each call after a moment, over connections that end all the time. */
async function serve(maxConnectionAgeMs: number) {
  const server = createRpcServer(token, maxConnectionAgeMs)
  let calls = 0
  server.add(elementV1.Roll.service, {
    GetAuthVersions: unary(scope, 'Roll.GetAuthVersions', async () => {
      calls += 1
      await new Promise((resolve) => setTimeout(resolve, 2))
      return { versions: {} }
    }),
  })
  return { address: await server.listen('127.0.0.1', 0), server, calls: () => calls }
}

/** Passes connections on, and at a word lets nothing through those that there are. */
class StallingProxy {
  readonly #sockets = new Set<Socket>()
  readonly #server: Server

  constructor(host: string, port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, host)
      for (const socket of [near, far]) this.#sockets.add(socket.on('error', () => undefined))
      near.pipe(far).pipe(near)
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stall(): void {
    for (const socket of this.#sockets) socket.unpipe().pause()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

describe('calls over streams', () => {
  it('lose none and repeat none while connections reach their age', async () => {
    const { address, server, calls } = await serve(40)
    // Short-lived streams meet the end of their connections often.
    const peer = new RpcPeer([address], token, { streamLifeMs: 10 })
    const client = new RpcClient(elementV1.Roll, peer)
    const settings = { deadlineMs: 5_000, affinity: 'w', repeatable: false }
    let answered = 0
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let turn = 0; turn < 150; turn += 1) {
          await client.unary('GetAuthVersions', { world_ids: [] }, settings)
          answered += 1
        }
      }),
    )
    expect(answered).toBe(16 * 150)
    expect(calls()).toBe(answered)
    peer.close()
    server.close()
  })

  it('go on over a new connection when nothing comes over the old one any longer', async () => {
    const { address, server } = await serve(60_000)
    const [host = '', port] = address.split(':')
    const proxy = new StallingProxy(host, Number(port))
    const peer = new RpcPeer([await proxy.listen()], token)
    const client = new RpcClient(elementV1.Roll, peer)
    const settings = { deadlineMs: 400, affinity: 'w', repeatable: false }
    await client.unary('GetAuthVersions', { world_ids: [] }, settings)
    proxy.stall()
    await expect(client.unary('GetAuthVersions', { world_ids: [] }, settings)).rejects.toThrow('no answer in time')
    const patient = { ...settings, deadlineMs: 10_000 }
    await expect(client.unary('GetAuthVersions', { world_ids: [] }, patient)).resolves.toEqual({ versions: {} })
    peer.close()
    proxy.close()
    server.close()
  })

  it('go to one replica by their key, and without one to any', async () => {
    const servers = [await serve(60_000), await serve(60_000)]
    const peer = new RpcPeer(
      servers.map(({ address }) => address),
      token,
    )
    const client = new RpcClient(elementV1.Roll, peer)
    const spread = async (affinity: string) => {
      const before = servers.map(({ calls }) => calls())
      for (let turn = 0; turn < 100; turn += 1) {
        await client.unary('GetAuthVersions', { world_ids: [] }, { deadlineMs: 5_000, affinity, repeatable: false })
      }
      return servers.map(({ calls }, index) => calls() - (before[index] ?? 0)).sort((a, b) => a - b)
    }
    expect(await spread('w')).toEqual([0, 100])
    const [least = 0] = await spread('')
    expect(least).toBeGreaterThan(20)
    peer.close()
    for (const { server } of servers) server.close()
  })

  it('are refused without the service token', async () => {
    const { address, server, calls } = await serve(60_000)
    const peer = new RpcPeer([address], 'another-token-of-a-test-that-guards-nothing')
    const client = new RpcClient(elementV1.Roll, peer)
    const settings = { deadlineMs: 5_000, affinity: 'w', repeatable: false }
    await expect(client.unary('GetAuthVersions', { world_ids: [] }, settings)).rejects.toThrow()
    expect(calls()).toBe(0)
    peer.close()
    server.close()
  })
})
