import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import pg from 'pg'
import {
  acceptOffer,
  actAs,
  charactersOf,
  expectDone,
  expectRefused,
  newPerson,
  newShared,
  root,
  type Shared,
} from './members-support'
import { type Body, expectBody, timestampForm, uuidForm } from './support'

let system: System
let shared: Shared
let open: Api
let links: string

beforeAll(async () => {
  system = await startSystem({
    env: {
      gateway: { UNKNOWN_CREDENTIALS_PER_MINUTE: '100000', REQUEST_BUDGET: '100000' },
      membership: { API_URL: 'https://worlds.example/api/v2/', PORTAL_URL: 'https://worlds.example/account/' },
    },
  })
  open = api(system.gateway)
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
  links = `${shared.path}/links`
})

const link = async (body: Body = { reader: 'agent' }): Promise<Body> =>
  expectBody(await shared.bearer.post(links, body), 201)
const join = (code: unknown, more: Body = { agent_name: 'Scribe' }) => open.post('/api/v2/join', { code, ...more })
const preview = (code: unknown) => open.post('/api/v2/join/preview', { code })
const listed = async (): Promise<Body[]> => expectBody(await shared.bearer.get(links), 200).data

describe('links to join', () => {
  it('[AG-018] are made with a code that is shown once', async () => {
    const made = await link()
    expect(made).toEqual({
      id: expect.stringMatching(uuidForm),
      reader: 'agent',
      role: 'contributor',
      code: expect.stringMatching(/^ow_j_[\w-]{43}$/),
      link: `https://worlds.example/account/join#${made.code}`,
      expires_at: expect.stringMatching(timestampForm),
      status: 'open',
    })
    const { id, reader, role, expires_at, status } = made
    const reply = await shared.bearer.get(links)
    expect(expectBody(reply, 200).data).toEqual([
      { id, reader, role, expires_at, status, name: '', created_at: expect.stringMatching(timestampForm) },
    ])
    expect(reply.text).not.toContain(made.code)
  })

  it.each([
    [undefined, 7],
    [1, 1],
    [7, 7],
    [30, 30],
  ])('[AG-018] made for %j days are good for %d', async (days, expected) => {
    await link({ reader: 'player', days, name: 'For Ann' })
    const [{ created_at, expires_at, name, role }] = (await listed()) as [Body]
    expect(Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 3_600_000)).toBe(expected * 24)
    expect([name, role]).toEqual(['For Ann', 'guest'])
  })

  it.each<[unknown, string | null]>([
    [{}, 'reader'],
    [{ reader: 'person' }, 'reader'],
    [{ reader: 'agent', role: 'owner' }, 'role'],
    [{ reader: 'player', role: 'contributor' }, 'role'],
    [{ reader: 'agent', days: 2 }, 'days'],
    [{ reader: 'agent', days: '7' }, 'days'],
    [{ reader: 'agent', sponsor_email: 'nobody' }, 'sponsor_email'],
    [{ reader: 'agent', character: 'nope' }, 'character'],
    [{ reader: 'agent', with_character: 'no' }, 'with_character'],
    [{ reader: 'agent', with_character: false, character: randomUUID() }, 'with_character'],
    [{ reader: 'agent', name: 'x'.repeat(256) }, 'name'],
    [{ reader: 'agent', code: 'mine' }, 'code'],
    ['', null],
  ])('[AG-018] are not made of %j', async (body, param) => {
    expectRefused(await shared.bearer.post(links, body), 'invalid_request', param)
    expect(await listed()).toEqual([])
  })

  it('[HD-060] take no Character that is hidden or not there, alike', async () => {
    const { id: hidden } = await shared.make('character')
    expectDone(await shared.put(`/api/v2/character/${hidden}/hidden`))
    const { id: location } = await shared.make('location')
    const texts = new Set<string>()
    for (const reader of ['player', 'agent']) {
      for (const character of [hidden, location, randomUUID()]) {
        const reply = await shared.bearer.post(links, { reader, character })
        expectRefused(reply, 'invalid_link', 'character')
        texts.add(reply.text)
      }
    }
    expect(texts.size).toBe(1)
    expect(await listed()).toEqual([])
  })

  it('[AG-013] are open, then used, revoked or expired', async () => {
    const [used, revoked, expired, kept] = [await link(), await link(), await link(), await link()]
    expectBody(await join(used.code), 201)
    expectDone(await shared.bearer.delete(`${links}/${revoked.id}`))
    await expire(expired.id)
    const statuses = ['used', 'revoked', 'expired', 'open']
    expect((await listed()).map(({ id, status }) => [id, status])).toEqual(
      [used, revoked, expired, kept].map(({ id }, index) => [id, statuses[index]]),
    )
    expectDone(await shared.bearer.delete(`${links}/${used.id}`))
    expectDone(await shared.bearer.delete(`${links}/${revoked.id}`))
    expect((await listed()).map(({ status }) => status).slice(0, 2)).toEqual(['used', 'revoked'])
    for (const id of [randomUUID()]) expectRefused(await shared.bearer.delete(`${links}/${id}`), 'not_found')
    expectRefused(await shared.bearer.delete(`${links}/nope`), 'invalid_request', 'id')
  })

  it('[AG-008][AG-009][AG-010][AG-011][AG-012] that open nothing any longer answer as an unknown code', async () => {
    const [used, revoked, expired] = [await link(), await link(), await link()]
    const other = await newShared(system)
    const gone = expectBody(await other.bearer.post(`${other.path}/links`, { reader: 'agent' }), 201)
    expectBody(await join(used.code), 201)
    expectDone(await shared.bearer.delete(`${links}/${revoked.id}`))
    await expire(expired.id)
    expectDone(await other.bearer.delete(other.path))
    const texts = new Set<string>()
    for (const code of [used.code, revoked.code, expired.code, gone.code, 'ow_j_never', '', `${used.code}x`]) {
      for (const reply of [await preview(code), await join(code)]) {
        expectRefused(reply, 'not_found')
        texts.add(reply.text)
      }
    }
    expect(texts.size).toBe(1)
    expect(await shared.roster()).toHaveLength(2)
  })
})

describe('a preview', () => {
  it('[AG-020] tells what a code opens, and spends nothing', async () => {
    expectBody(await shared.patch('/api/v2/world', { description: 'A place' }), 200)
    expectBody(await shared.bearer.patch(root, { name: 'Ann' }), 200)
    const { code, expires_at } = await link({ reader: 'agent', role: 'co_builder', with_character: false })
    const told = {
      reader: 'agent',
      role: 'co_builder',
      world: { name: 'World', description: 'A place' },
      invited_by: 'Ann',
      owner_character: null,
      with_character: false,
      expires_at,
    }
    for (let turn = 0; turn < 2; turn += 1) expect(expectBody(await preview(code), 200)).toEqual(told)
    const { id } = await shared.make('character', { name: 'Queen' })
    expectBody(await shared.patch('/api/v2/world', { owner_character: id }), 200)
    expect(expectBody(await preview(code), 200).owner_character).toBe('Queen')
    expectDone(await shared.put(`/api/v2/character/${id}/hidden`))
    expect(expectBody(await preview(code), 200).owner_character).toBeNull()
    expect((await preview(code)).text).not.toContain(shared.account.email)
  })

  it.each<[unknown, string | null]>([
    [{}, 'code'],
    [{ code: 7 }, 'code'],
    [{ code: 'x', agent_name: 'y' }, 'agent_name'],
    ['', null],
    ['{', null],
  ])('[AG-020] refuses %j', async (body, param) => {
    expectRefused(await open.post('/api/v2/join/preview', body), 'invalid_request', param)
  })
})

describe('an agent joins', () => {
  it('[AG-001][AG-002][AG-003][AG-004][AG-019] by a code, and has a seat of its own', async () => {
    const { code } = await link()
    const made = expectBody(await join(code), 201)
    const { seat, character } = made
    expect(made).toEqual({
      kind: 'agent',
      key: expect.stringMatching(/^ow_w_/),
      pin: expect.stringMatching(/^ow_s_/),
      character: { id: expect.stringMatching(uuidForm), name: 'Scribe' },
      with_character: true,
      seat: { id: expect.stringMatching(uuidForm), role: 'contributor', agent_name: 'Scribe' },
      world: { id: shared.world, name: 'World', description: '' },
      members: await shared.roster(),
      env: [
        `OW_API_KEY=${made.key}`,
        `OW_API_PIN=${made.pin}`,
        `OW_WORLD=${shared.world}`,
        `OW_CHARACTER=${character.id}`,
        'OW_API_BASE=https://worlds.example/api/v2',
      ].join('\n'),
      next: expect.arrayContaining([expect.any(String)]),
    })
    expect(await shared.row(seat.id)).toMatchObject({ kind: 'agent', status: 'active', name: 'Scribe' })
    expect(await shared.read('character', character.id)).toMatchObject({ supertype: 'Agent', created_by: seat.id })
    const by = api(system.gateway, { 'API-Key': made.key, 'API-Pin': made.pin })
    expect(expectBody(await by.get('/api/v2/me'), 200)).toMatchObject({ kind: 'agent', character: character.id })
    expect(expectBody(await by.post('/api/v2/zone', { name: 'x' }), 201).created_by).toBe(seat.id)
  })

  it('[AG-021] in the role that the owner chose', async () => {
    for (const role of [undefined, 'co_builder', 'guest'] as const) {
      const seat = await addSeat(system, shared, role === undefined ? {} : { role })
      expect(expectBody(await actAs(system, seat).get('/api/v2/me'), 200).role).toBe(role ?? 'contributor')
    }
  })

  it('[AG-022] and sees as its role whatever Character it plays', async () => {
    const { id: hidden } = await shared.make('zone')
    expectDone(await shared.put(`/api/v2/zone/${hidden}/hidden`))
    const { id: played } = await shared.make('character')
    const seat = await addSeat(system, shared)
    const by = actAs(system, seat)
    const seen = async () => expectBody(await by.get('/api/v2/zone'), 200).data
    const before = await seen()
    expectBody(await shared.bearer.patch(`${shared.path}/members/${seat.membership}`, { character: played }), 200)
    expect(expectBody(await by.get('/api/v2/me'), 200).character).toBe(played)
    expect(await seen()).toEqual(before)
    expectRefused(await by.get(`/api/v2/zone/${hidden}`), 'not_found')
    expectRefused(await by.patch(`/api/v2/character/${played}`, { name: 'x' }), 'not_author')
  })

  it('[AG-002] without a Character when the link says so, or with the one that it names', async () => {
    const none = await addSeat(system, shared, { link: { with_character: false } })
    expect(none.character).toBeNull()
    const { id: character } = await shared.make('character')
    expect((await addSeat(system, shared, { link: { character } })).character).toBe(character)
  })

  it.each<[Body, string]>([
    [{}, 'agent_name'],
    [{ agent_name: '' }, 'agent_name'],
    [{ agent_name: 'x'.repeat(81) }, 'agent_name'],
    [{ agent_name: 7 }, 'agent_name'],
    [{ agent_name: 'x', name: 'y' }, 'name'],
    [{ agent_name: 'x', role: 'guest' }, 'role'],
  ])('[AG-019] not by %j, which spends no code', async (body, param) => {
    const { code } = await link()
    expectRefused(await join(code, body), 'invalid_request', param)
    expectBody(await join(code), 201)
  })

  it('[AG-009] once, however many send the code at once', async () => {
    const { code } = await link()
    const replies = await Promise.all(Array.from({ length: 5 }, (_, n) => join(code, { agent_name: `A${n}` })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404, 404])
    expect(await shared.roster()).toHaveLength(2)
    expect(await charactersOf(shared, 'Agent')).toHaveLength(1)
  })

  it('[AG-010] or not at all, when its code is revoked at once', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const before = (await shared.roster()).length
      const { id, code } = await link()
      const [joined] = await Promise.all([join(code), shared.bearer.delete(`${links}/${id}`)])
      expect([201, 404]).toContain(joined.status)
      expect(await shared.roster()).toHaveLength(joined.status === 201 ? before + 1 : before)
      const status = (await listed()).find((row) => row.id === id)?.status
      expect(status).toBe(joined.status === 201 ? 'used' : 'revoked')
    }
  })

  it('[AG-019] with a slash at the end of the path, and no content type', async () => {
    const { code } = await link()
    const send = (path: string, body: Body) =>
      fetch(new URL(path, system.gateway), { method: 'POST', body: Buffer.from(JSON.stringify(body)) })
    expect((await send('/api/v2/join/preview/', { code })).status).toBe(200)
    expect((await send('/api/v2/join/', { code, agent_name: 'Scribe' })).status).toBe(201)
  })

  it('[AG-023][AG-005][AG-006][AG-007] for a sponsor, who may remove the seat', async () => {
    const sponsor = await addMember(system, shared, 'contributor')
    const other = await addMember(system, shared, 'co_builder')
    const seat = await addSeat(system, shared, { link: { sponsor_email: sponsor.account.email.toUpperCase() } })
    const path = `${shared.path}/members/${seat.membership}`
    expectRefused(await actAs(system, other).bearer.delete(path), 'permission_error')
    expect((await shared.row(seat.membership)).status).toBe('active')
    expectDone(await actAs(system, sponsor).bearer.delete(path))
    expect((await shared.row(seat.membership)).status).toBe('removed')
    expectRefused(await actAs(system, seat).get('/api/v2/me'), 'invalid_credentials')
    expectDone(await actAs(system, sponsor).bearer.delete(path))
  })

  it('[AG-005][AG-023] for a sponsor from outside, who may do nothing else', async () => {
    const sponsor = await newPerson(system)
    const seat = await addSeat(system, shared, { link: { sponsor_email: sponsor.email } })
    expectRefused(await sponsor.bearer.get(`${shared.path}/members`), 'not_found')
    await acceptOffer(sponsor)
    for (const path of ['', '/members', '/keys', '/seats']) {
      expectRefused(await sponsor.bearer.get(`${shared.path}${path}`), 'permission_error')
    }
    expectRefused(await sponsor.bearer.delete(`${shared.path}/members/${randomUUID()}`), 'permission_error')
    expectDone(await sponsor.bearer.delete(`${shared.path}/members/${seat.membership}`))
    expectDone(await sponsor.bearer.delete(`${shared.path}/members/${seat.membership}`))
    expectRefused(await sponsor.bearer.get(`${shared.path}/members`), 'not_found')
  })

  it('[AG-024] for the owner when nobody is named, or nobody known', async () => {
    const known = [await addSeat(system, shared), await addSeat(system, shared, { link: { sponsor_email: 'a@b.org' } })]
    const { data } = expectBody(await shared.bearer.get(`${shared.path}/members`), 200)
    const sponsored = data.filter((row: Body) => row.sponsored).map(({ id }: Body) => id)
    expect(sponsored).toEqual(known.map(({ membership }) => membership))
    for (const { membership } of known) expectDone(await shared.bearer.delete(`${shared.path}/members/${membership}`))
  })

  it('[AG-024] and for the owner once its sponsor has left', async () => {
    const sponsor = await addMember(system, shared, 'guest')
    const seat = await addSeat(system, shared, { link: { sponsor_email: sponsor.account.email } })
    const by = actAs(system, sponsor).bearer
    expectDone(await by.post(`${shared.path}/leave`))
    expect((await shared.row(seat.membership)).status).toBe('active')
    expectBody(await actAs(system, seat).post('/api/v2/zone', { name: 'x' }), 201)
    expectRefused(await by.delete(`${shared.path}/members/${seat.membership}`), 'not_found')
    const { data } = expectBody(await shared.bearer.get(`${shared.path}/members`), 200)
    expect(data.find(({ id }: Body) => id === seat.membership).sponsored).toBe(true)
  })
})

describe('a player joins', () => {
  it('[AG-019] by a code, and reads', async () => {
    const { code } = await link({ reader: 'player' })
    const made = expectBody(await join(code, { name: 'Frodo' }), 201)
    expect(made).toMatchObject({
      kind: 'person',
      key: expect.stringMatching(/^ow_r_/),
      pin: null,
      character: { name: 'Frodo' },
      seat: { role: 'guest', agent_name: null },
    })
    expect(made.env.split('\n')[1]).toBe('OW_API_PIN=')
    expect(await shared.read('character', made.character.id)).toMatchObject({
      supertype: 'Guest',
      created_by: made.seat.id,
    })
    const roster = await shared.roster()
    expect(made.members.map(({ id }: Body) => id)).toEqual(roster.map(({ id }) => id))
    expect(await shared.row(made.seat.id)).not.toHaveProperty('name')
  })

  it('[AG-019] under the name of the link, or none', async () => {
    const named = await link({ reader: 'player', name: 'Sam' })
    expect(expectBody(await join(named.code, {}), 201).character.name).toBe('Sam')
    const bare = await link({ reader: 'player' })
    expect(expectBody(await join(bare.code, {}), 201).character.name).toBe('Guest')
    const agent = await link({ reader: 'player' })
    expectRefused(await join(agent.code, { agent_name: 'x' }), 'invalid_request', 'agent_name')
  })

  it('[HD-062] with a fresh Character when that of the link was hidden or deleted since', async () => {
    const { id: hidden } = await shared.make('character')
    const { id: deleted } = await shared.make('character')
    const { id: kept } = await shared.make('character')
    const codes: string[] = []
    for (const character of [hidden, deleted, kept]) codes.push((await link({ reader: 'player', character })).code)
    expectDone(await shared.put(`/api/v2/character/${hidden}/hidden`))
    expectDone(await shared.delete(`/api/v2/character/${deleted}`))
    const characters: string[] = []
    for (const code of codes) characters.push(expectBody(await join(code, {}), 201).character.id)
    expect(characters[2]).toBe(kept)
    expect([hidden, deleted]).not.toContain(characters[0])
    expect([hidden, deleted]).not.toContain(characters[1])
  })

  it('[MB-011] and is shown of the roster what a guest sees', async () => {
    const { id } = await shared.make('character')
    await addSeat(system, shared, { link: { character: id } })
    expectDone(await shared.put(`/api/v2/character/${id}/hidden`))
    const { code } = await link({ reader: 'player', with_character: false })
    const made = expectBody(await join(code, {}), 201)
    expect([made.character, made.members[1].character]).toEqual([null, null])
    expect((await addPlayer(system, shared)).character).not.toBeNull()
  })
})

async function expire(id: string): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  await client
    .query(`update membership.join_links set expires_at = now() - interval '1 second' where id = $1`, [id])
    .finally(() => client.end())
}
