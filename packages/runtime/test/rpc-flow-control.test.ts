import { elementV1 } from '@worlds/proto/load'
import { ByteBudget, type ByteLease } from '@worlds/runtime/byte-budget'
import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { type CallContext, streamed } from '@worlds/runtime/operation'
import { replyWindow } from '@worlds/runtime/reply-parts'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { createRpcServer } from '@worlds/runtime/rpc-server'
import { until } from '@worlds/testkit/until'

const token = 'a-token-of-a-test-that-guards-nothing'
const scope = { log: createLog('test', 'silent'), metrics: createMetrics('test') }
const settings = { deadlineMs: 20_000, affinity: 'w', repeatable: false }

const partBytes = 256 << 10
const partCount = 24

/** Parts of one size that differ in every byte. */
const parts = Array.from({ length: partCount }, (_, index) => Buffer.alloc(partBytes, index + 1))

/** What protobuf adds to a part. */
const framing = 16

async function serve() {
  const server = createRpcServer(token, 600_000)
  const budget = new ByteBudget(64 << 20)
  const leases: ByteLease[] = []
  server.add(elementV1.Elements.service, {
    ListElements: streamed(scope, 'Elements.ListElements', async (_request: unknown, context: CallContext) => {
      leases.push(await context.reserve(budget, partCount * partBytes))
      return parts.map((bodies) => ({ bodies }))
    }),
    ReadElements: streamed(scope, 'Elements.ReadElements', async () => [{ bodies: Buffer.from('small') }]),
  })
  const peer = new RpcPeer([await server.listen('127.0.0.1', 0)], token)
  return {
    budget,
    /** Bytes of the newest reply that the server has sent. */
    sent: () => leases.at(-1)?.moved ?? 0,
    client: new RpcClient(elementV1.Elements, peer),
    close() {
      peer.close()
      server.close()
    },
  }
}

type Served = Awaited<ReturnType<typeof serve>>

let served: Served
beforeEach(async () => {
  served = await serve()
})
afterEach(() => served.close())

const read = (signal?: AbortSignal) => served.client.read('ListElements', {}, settings, signal)

/** Calls over the same stream: by their replies, whatever the server could send before has been sent. */
async function roundTrips(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    const [small] = await served.client.parts('ReadElements', {}, settings)
    expect(small?.bodies.toString()).toBe('small')
  }
}

const isReleased = () => until(() => served.budget.used === 0)

describe('a streamed reply', () => {
  it('is sent no further than its window while the client takes nothing, and does not delay other calls', async () => {
    const reply = await read()
    await roundTrips()
    // A part that begins within the window is sent whole.
    expect(served.sent()).toBeGreaterThanOrEqual(replyWindow)
    expect(served.sent()).toBeLessThanOrEqual(replyWindow + partBytes + framing)
    expect(served.budget.used).toBeGreaterThan((partCount - 4) * partBytes)
    reply.cancel()
    await isReleased()
  })

  it('is sent on as it is taken, and arrives whole and in order', async () => {
    const reply = await read()
    const taken = [reply.first.bodies]
    for await (const { bodies } of reply.rest()) {
      taken.push(bodies)
      await roundTrips()
      const ahead = served.sent() - taken.reduce((sum, { length }) => sum + length, 0)
      expect(ahead).toBeLessThanOrEqual(replyWindow + partBytes + partCount * framing)
    }
    expect(taken.length).toBe(partCount)
    expect(taken.every((part, index) => part.equals(parts[index] as Buffer))).toBe(true)
    await isReleased()
  })

  it('arrives whole to several that take at their own speeds', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => read()))
    const idle = await read()
    const sizes = await Promise.all(
      replies.map(async (reply, index) => {
        let bytes = reply.first.bodies.length
        for await (const { bodies } of reply.rest()) {
          bytes += bodies.length
          for (let turn = 0; turn < index; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        }
        return bytes
      }),
    )
    expect(sizes).toEqual(Array(5).fill(partCount * partBytes))
    idle.cancel()
    await isReleased()
  })

  it('ends when the client cancels it, or takes no further part', async () => {
    const cancelled = await read()
    cancelled.cancel()
    await isReleased()
    const left = await read()
    for await (const { bodies } of left.rest()) {
      expect(bodies.length).toBe(partBytes)
      break
    }
    await isReleased()
    expect(served.sent()).toBeLessThan(partCount * partBytes)
    await roundTrips()
  })

  it('ends when the caller aborts, which its reader learns', async () => {
    const abort = new AbortController()
    const reply = await read(abort.signal)
    abort.abort()
    await isReleased()
    await expect(takeAll(reply)).rejects.toThrow('the caller has left')
    expect(served.sent()).toBeLessThan(partCount * partBytes)
    await expect(read(AbortSignal.abort())).rejects.toThrow('the caller has left')
    await isReleased()
    await roundTrips()
  })

  it('ends with an error when the server cuts it off to make room for others', async () => {
    const reply = await read()
    // Callers that find no room have transfers cut off whose clients take nothing.
    const other = await served.budget.acquire(served.budget.capacity)
    await expect(takeAll(reply)).rejects.toThrow('the call failed')
    other.release()
    expect(served.budget.used).toBe(0)
    await roundTrips()
  })
})

async function takeAll(reply: { rest(): AsyncIterable<unknown> }): Promise<number> {
  let count = 0
  for await (const _ of reply.rest()) count += 1
  return count
}
