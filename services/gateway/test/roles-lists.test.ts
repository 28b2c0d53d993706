/** Lists while the role of their reader changes: a reader that copies a world never sees it empty. */
import { type ApiReply, api } from '@worlds/testkit/api'
import { addMember, type MemberRole, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, newOwner } from './support'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

const lists = 60

describe('a list while the role of its reader changes', () => {
  it('[LS-004][RL-001] is what one of the roles sees, and never empty', async () => {
    const own = await newOwner(system)
    const member = await addMember(system, own, 'contributor')
    const key = api(system.gateway, member.headers)
    // So large that a page of a thousand such would not fit: lists are read by a second statement, with sums.
    const description = 'd'.repeat(20_000)
    const open: string[] = []
    const hidden: string[] = []
    for (let index = 0; index < 6; index += 1) {
      open.push((await own.make('event', { description })).id)
      hidden.push((await own.make('event', { description })).id)
      expect((await own.put(`/api/v2/event/${hidden.at(-1)}/hidden`)).status).toBe(204)
    }
    const views = [open, [...open, ...hidden]].map((ids) => [...ids].sort().join())
    const idsOf = (rows: readonly Body[]) =>
      rows
        .map(({ id }) => id)
        .sort()
        .join()

    let isOver = false
    let changes = 0
    const change = async () => {
      const roles: MemberRole[] = ['co_builder', 'contributor']
      for (; !isOver; changes += 1) await setRole(system, own, member.membership, roles[changes % 2] as MemberRole)
    }
    const seen: string[] = []
    const list = async (path: string, rowsOf: (reply: ApiReply) => Body[], count: number) => {
      for (let turn = 0; turn < count || changes < 10; turn += 1) seen.push(idsOf(rowsOf(await key.get(path))))
    }
    const changing = change()
    const readings = [
      list('/api/v2/event?limit=1000', (reply) => expectBody(reply, 200).data, lists / 3),
      list('/api/v2/event?limit=1000&expand=characters', (reply) => expectBody(reply, 200).data, lists / 3),
      list('/api/worldapi/event/', (reply) => expectBody(reply, 200), lists / 3),
    ]
    try {
      await Promise.all(readings)
    } finally {
      isOver = true
      await changing
    }
    expect(seen.length).toBeGreaterThanOrEqual(lists)
    expect(seen.filter((ids) => !views.includes(ids))).toEqual([])
  })
})
