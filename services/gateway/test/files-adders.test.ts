import { api } from '@worlds/testkit/api'
import { addMember, addSeat, removeMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addFile, filesOf, worldFiles } from './files-support'
import { accountApi } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let place: string

beforeAll(async () => {
  system = await startSystem({ files: true })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})

const apiOf = ({ headers }: { headers: Record<string, string> }) => api(system.gateway, headers)

describe('who added a file', () => {
  const addedBy = async (id: string) =>
    (await filesOf(own, 'location', place)).find((record: Body) => record.id === id)?.added_by

  it('[FL-006][FL-007][FL-008][FL-009] is told by name, membership and whether it is an agent', async () => {
    const member = await addMember(system, own, 'co_builder', { name: 'Wanda' })
    const seat = await addSeat(system, own, { role: 'co_builder', name: 'Scribe' })
    const path = accountApi(system.gateway, own.token)
    expectBody(await path.patch('/api/v2/account', { name: 'Olive' }), 200)
    const records = [
      await addFile(own, 'location', place),
      await addFile(apiOf(member), 'location', place),
      await addFile(apiOf(seat), 'location', place),
    ]
    expect(records.map(({ added_by }) => added_by)).toEqual([
      { name: 'Olive', membership: null, agent: false },
      { name: 'Wanda', membership: member.membership, agent: false },
      { name: 'Scribe', membership: seat.membership, agent: true },
    ])
    expect((await worldFiles(own)).data.map(({ added_by }: Body) => added_by.name)).toEqual([
      'Scribe',
      'Wanda',
      'Olive',
    ])
  })

  it('[FL-007] is called by the name the account has now, and never by an email', async () => {
    const member = await addMember(system, own, 'contributor', { name: 'Wanda' })
    const by = apiOf(member)
    place = expectBody(await by.post('/api/v2/location', { name: 'Mine' }), 201).id
    const { id } = await addFile(by, 'location', place)
    const bearer = accountApi(system.gateway, member.token)
    for (const name of ['Wanda the Second', '']) {
      expectBody(await bearer.patch('/api/v2/account', { name }), 200)
      expect(await addedBy(id)).toEqual({ name, membership: member.membership, agent: false })
    }
    const { text } = await own.get('/api/v2/world/files')
    expect([text.includes(member.account.email), text.includes('@')]).toEqual([false, false])
  })

  it('[FL-007][FL-008] keeps its membership when it leaves, and loses it and its name with its account', async () => {
    const member = await addMember(system, own, 'co_builder', { name: 'Wanda' })
    const seat = await addSeat(system, own, {
      role: 'co_builder',
      name: 'Scribe',
      link: { sponsor_email: member.account.email },
    })
    const { id } = await addFile(apiOf(member), 'location', place)
    const { id: seats } = await addFile(apiOf(seat), 'location', place)
    await removeMember(system, own, member.membership)
    expect(await addedBy(id)).toEqual({ name: 'Wanda', membership: member.membership, agent: false })
    expectBody(await accountApi(system.gateway, member.token).delete('/api/v2/account'), 204)
    await until(async () => (await addedBy(id))?.name === '')
    expect(await addedBy(id)).toEqual({ name: '', membership: null, agent: false })
    expect(await addedBy(seats)).toEqual({ name: 'Scribe', membership: seat.membership, agent: true })
  })
})
