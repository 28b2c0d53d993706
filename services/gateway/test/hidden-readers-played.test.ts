import { randomUUID } from 'node:crypto'
import { type ApiReply, api } from '@worlds/testkit/api'
import { addMember, invited, type MemberRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { createAccount } from '@worlds/testkit/world'
import { accountApi } from './hostile-table'
import { expectRefused } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const root = '/api/v2/account'
const hiddenCharacter = async (): Promise<string> => {
  const { id } = await own.make('character')
  expect((await own.put(`/api/v2/character/${id}/hidden`)).status).toBe(204)
  return id
}
const links = (body: Body): Promise<ApiReply> =>
  accountApi(system.gateway, own.token).post(`${root}/worlds/${own.world}/links`, body)
/** Expects both to be refused alike, letter by letter. */
const expectAlike = (hidden: ApiReply, absent: ApiReply, param: string) => {
  for (const reply of [hidden, absent]) expectRefused(reply, 400, 'invalid_link', param)
  expect(hidden.text).toBe(absent.text)
}

describe('a hidden Character cannot be chosen to be played', () => {
  it.each(['co_builder', 'contributor'] as const)(
    '[HD-058][HD-059] by accepting an invite as %s, and the invite stays',
    async (role) => {
      const hidden = await hiddenCharacter()
      const { account, token } = await createAccount(system, { pin: '4321' })
      const invite = await invited(system, own, account.email, role)
      const person = accountApi(system.gateway, token)
      const accept = (body?: Body) => person.post(`${root}/invites/${invite}/accept`, body)
      const replies = [await accept({ roster_character: hidden }), await accept({ roster_character: randomUUID() })]
      expectAlike(replies[0] as ApiReply, replies[1] as ApiReply, 'roster_character')
      expect(expectBody(await own.get('/api/v2/members'), 200).data).toHaveLength(1)
      expect(expectBody(await accept(), 201).character).toBeNull()
    },
  )

  it('[HD-058] but a guest’s choice is not even looked at', async () => {
    const hidden = await hiddenCharacter()
    const member = await addMember(system, own, 'guest', { rosterCharacter: hidden })
    expect(member.character).not.toBe(hidden)
    expect((await own.read('character', member.character ?? '')).created_by).toBe(member.membership)
  })

  it.each(['player', 'agent'])('[HD-058][HD-060] by a link for a %s', async (reader) => {
    const hidden = await hiddenCharacter()
    expectAlike(
      await links({ reader, character: hidden }),
      await links({ reader, character: randomUUID() }),
      'character',
    )
    const listed = await accountApi(system.gateway, own.token).get(`${root}/worlds/${own.world}/links`)
    expect(expectBody(listed, 200).data).toEqual([])
  })

  it.each(['co_builder', 'contributor'] as const)(
    '[HD-058][HD-061] by a seat that is to be mine, of a %s',
    async (role) => {
      const { id } = await own.make('character')
      const playing = await addMember(system, own, role, { rosterCharacter: id })
      const without = await addMember(system, own, role)
      const mine = (token: string) =>
        accountApi(system.gateway, token).post(`${root}/worlds/${own.world}/seats`, {
          name: 'S',
          role: 'contributor',
          character: 'mine',
        })
      const open = expectBody(await mine(playing.token), 201)
      expect(open.seat.character).toBe(id)
      expect((await own.put(`/api/v2/character/${id}/hidden`)).status).toBe(204)
      expectAlike(await mine(playing.token), await mine(without.token), 'character')
      expect(expectBody(await own.get('/api/v2/members'), 200).data).toHaveLength(4)
    },
  )

  it('[HD-058] by the owner who would set it for a seat, which is told as what it is', async () => {
    const hidden = await hiddenCharacter()
    const account = accountApi(system.gateway, own.token)
    const { seat } = expectBody(await account.post(`${root}/worlds/${own.world}/seats`, { name: 'S' }), 201)
    const reply = await account.patch(`${root}/worlds/${own.world}/members/${seat.id}`, { character: hidden })
    expectRefused(reply, 422, 'character_hidden', 'character')
    const absent = await account.patch(`${root}/worlds/${own.world}/members/${seat.id}`, { character: randomUUID() })
    expectRefused(absent, 400, 'invalid_link', 'character')
    const [, row] = expectBody(await own.get('/api/v2/members'), 200).data
    expect(row.character).toBe(seat.character)
  })
})

describe('a Character that is hidden later', () => {
  it.each([
    ['hidden', async (id: string) => own.put(`/api/v2/character/${id}/hidden`)],
    ['deleted', async (id: string) => own.delete(`/api/v2/character/${id}`)],
  ])('[HD-062] gives way to a fresh one when its player comes: %s', async (_how, take) => {
    for (const [reader, who] of [
      ['player', {}],
      ['agent', { agent_name: 'A' }],
    ] as const) {
      const { id } = await own.make('character')
      const { code } = expectBody(await links({ reader, character: id }), 201)
      expect((await take(id)).status).toBe(204)
      const joined = expectBody(await api(system.gateway).post('/api/v2/join', { code, ...who }), 201)
      expect(joined.character.id).not.toBe(id)
      const fresh = await own.read('character', joined.character.id)
      const supertype = reader === 'agent' ? 'Agent' : 'Guest'
      expect([fresh.supertype, fresh.created_by]).toEqual([supertype, joined.seat.id])
      expect(JSON.stringify(joined)).not.toContain(id)
    }
  })

  it.each(['contributor', 'co_builder'] as const satisfies MemberRole[])(
    '[HD-063] stays played by a %s',
    async (role) => {
      const { id } = await own.make('character')
      const member = await addMember(system, own, role, { rosterCharacter: id })
      expect((await own.put(`/api/v2/character/${id}/hidden`)).status).toBe(204)
      const rows = async () =>
        expectBody(await own.get('/api/v2/members'), 200).data.map((row: Body) => [row.id, row.character])
      expect(await rows()).toEqual([
        [null, null],
        [member.membership, id],
      ])
      expect((await own.delete(`/api/v2/character/${id}/hidden`)).status).toBe(204)
      expect(await rows()).toEqual([
        [null, null],
        [member.membership, id],
      ])
    },
  )
})
