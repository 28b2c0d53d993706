/** Clients that follow while others write: in the end their copies are what a fresh walk gives. */
import type { Api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import fc from 'fast-check'
import { type Command, command, run } from './model/commands'
import { Follower } from './model/follower'
import { newStage } from './model/stage'

const operations = 500

/** They share commits, and go through two processes where there are two: what each answers is left open. */
const atOnce = 8

describe.each([1, 2])('with %i element processes', (elements) => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({
      elements,
      gateways: elements,
      pinGateways: true,
      env: { gateway: { REQUEST_BUDGET: '1000000000', UNKNOWN_CREDENTIALS_PER_MINUTE: '1000000' } },
    })
  })
  afterAll(() => system.stop())

  it('[CF-010][CF-040][CF-041][CF-045][CF-048] a contributor and a guest follow 500 operations of others', async () => {
    const stage = await newStage(system)
    const readers = stage.model.readers.filter(({ kind, role }) => kind === 'person' && role !== 'co_builder')
    const followers = readers.map((reader) => ({ reader, follower: new Follower(stage.apis.get(reader.id) as Api) }))
    let isWriting = true
    const following = followers.map(async ({ follower }, index) => {
      while (isWriting) await follower.poll(1 + 3 * index, 3)
      expect(await follower.poll(1000, 1000)).toBe(true)
    })
    try {
      // Whoever keeps its role keeps following; `role` has its own rule for what a copy may keep.
      const plan = sample(({ kind }) => kind !== 'role' && kind !== 'remove' && kind !== 'join')
      for (let at = 0; at < plan.length; at += atOnce) {
        await Promise.all(plan.slice(at, at + atOnce).map((one) => run(stage, one)))
      }
    } finally {
      isWriting = false
    }
    await Promise.all(following)
    for (const { reader, follower } of followers) {
      const fresh = new Follower(stage.apis.get(reader.id) as Api)
      expect(await fresh.poll(7, 1000)).toBe(true)
      expect(follower.loose.size).toBe(0)
      expect(Object.fromEntries(follower.copy)).toEqual(Object.fromEntries(fresh.copy))
      // Else it followed nothing. How much a guest is told of 500 operations is up to chance, and some is told anew.
      expect(follower.records).toBeGreaterThan(10)
    }
  }, 120_000)
})

function sample(keep: (one: Command) => boolean): Command[] {
  return fc
    .sample(command, operations * 2)
    .filter(keep)
    .slice(0, operations)
}
