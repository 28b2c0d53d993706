import { randomUUID } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createWorld } from '@worlds/testkit/world'
import pg from 'pg'
import {
  accept,
  actAs,
  charactersOf,
  expectDone,
  expectRefused,
  invite,
  newPerson,
  newShared,
  type Person,
  root,
  type Shared,
} from './members-support'
import { type Body, expectBody, timestampForm, uuidForm } from './support'

let system: System
let shared: Shared
let person: Person

beforeAll(async () => {
  const DEV_MAIL = 'true'
  system = await startSystem({ env: { gateway: { REQUEST_BUDGET: '100000', DEV_MAIL }, membership: { DEV_MAIL } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  ;[shared, person] = await Promise.all([newShared(system), newPerson(system)])
})

const received = async (by: Person): Promise<Body[]> =>
  expectBody(await by.bearer.get(`${root}/invites`), 200).data as Body[]
const pending = async (): Promise<Body[]> => expectBody(await shared.bearer.get(`${shared.path}/members`), 200).invites
const send = (body: unknown) => shared.bearer.post(`${shared.path}/invites`, body)
const mails = async (): Promise<Body[]> =>
  expectBody(await api(system.gateway).get('/dev/mail', { Accept: 'application/json' }), 200).data

describe('inviting', () => {
  it('[AC-022][AC-030][AC-031][AC-033] makes a pending invite', async () => {
    const made = expectBody(await send({ email: person.email, role: 'contributor' }), 201)
    expect(made).toEqual({
      id: expect.stringMatching(uuidForm),
      email: person.email,
      role: 'contributor',
      created_at: expect.stringMatching(timestampForm),
    })
    expect(await pending()).toEqual([made])
    expect(await shared.roster()).toHaveLength(1)
  })

  it.each<[unknown, string | null]>([
    [{ role: 'guest' }, 'email'],
    [{ email: 'a@example.org' }, 'role'],
    [{ email: 'a@example.org', role: 'owner' }, 'role'],
    [{ email: 'a@example.org', role: 'Guest' }, 'role'],
    [{ email: 'a@example.org', role: null }, 'role'],
    [{ email: 'nobody', role: 'guest' }, 'email'],
    [{ email: 7, role: 'guest' }, 'email'],
    [{ email: `${'x'.repeat(250)}@example.org`, role: 'guest' }, 'email'],
    [{ email: 'a@example.org', role: 'guest', name: 'Ann' }, 'name'],
    ['', null],
    ['[]', null],
  ])('[AC-030] refuses %j', async (body, param) => {
    expectRefused(await send(body), 'invalid_request', param)
    expect(await pending()).toEqual([])
  })

  it('[AC-032] answers alike, and mails alike, whether or not an account has the email', async () => {
    const unknown = `${randomUUID()}@example.org`
    const replies = [await send({ email: person.email, role: 'guest' }), await send({ email: unknown, role: 'guest' })]
    const [known, none] = replies.map(({ status, body }) => [status, Object.keys(body), body.role])
    expect(known).toEqual(none)
    const texts = (await mails()).filter(({ to }) => [person.email, unknown].includes(to)).map(({ text }) => text)
    expect(texts).toHaveLength(2)
    expect(new Set(texts).size).toBe(1)
  })

  it('[AC-031] again changes the role of the pending invite', async () => {
    const first = expectBody(await send({ email: person.email, role: 'guest' }), 201)
    const again = expectBody(await send({ email: person.email.toUpperCase(), role: 'co_builder' }), 201)
    expect(again).toEqual({ ...first, role: 'co_builder' })
    expect(await pending()).toEqual([again])
    expect(expectBody(await accept(person, first.id), 201).role).toBe('co_builder')
  })

  it('[AC-027] an active member or the owner is already_member', async () => {
    const { account } = await addMember(system, shared, 'guest')
    for (const email of [account.email, account.email.toUpperCase(), shared.account.email]) {
      expectRefused(await send({ email, role: 'guest' }), 'already_member')
    }
    expect(await pending()).toEqual([])
  })

  it('[AC-032] by an email that a member has not verified is answered like any other', async () => {
    const member = await addMember(system, shared, 'guest')
    const email = `${randomUUID()}@example.org`
    const { bearer } = actAs(system, member)
    expectBody(await bearer.post(`${root}/emails`, { email }), 202)
    expectBody(await send({ email, role: 'guest' }), 201)
    expectBody(await send({ email: (await newPerson(system)).email, role: 'guest' }), 201)
  })

  it('[AC-023][AC-046] and cancelling is for the owner alone', async () => {
    const member = actAs(system, await addMember(system, shared, 'co_builder'))
    const id = await invite(shared, person.email, 'guest')
    expectRefused(await member.bearer.post(`${shared.path}/invites`, { email: 'x', role: 'x' }), 'permission_error')
    expectRefused(await member.bearer.delete(`${shared.path}/invites/${id}`), 'permission_error')
    expectRefused(await member.bearer.delete(`${shared.path}/invites/nope`), 'permission_error')
    for (const [by, path] of [
      [person.bearer, shared.path],
      [shared.bearer, `${root}/worlds/nope`],
    ] as const) {
      expectRefused(await by.post(`${path}/invites`, { email: 'x', role: 'x' }), 'not_found')
      expectRefused(await by.delete(`${path}/invites/${id}`), 'not_found')
    }
    expect((await pending()).map((row) => row.id)).toEqual([id])
  })

  it('[AC-024] can be taken back', async () => {
    const id = await invite(shared, person.email, 'guest')
    expectDone(await shared.bearer.delete(`${shared.path}/invites/${id}`))
    expect([await received(person), await pending()]).toEqual([[], []])
    expectRefused(await accept(person, id), 'not_found')
    expectRefused(await shared.bearer.delete(`${shared.path}/invites/${id}`), 'not_found')
    expectRefused(await shared.bearer.delete(`${shared.path}/invites/nope`), 'invalid_request', 'id')
  })

  it('[AC-024] is not taken back through another world', async () => {
    const id = await invite(shared, person.email, 'guest')
    const other = await newShared(system)
    expectRefused(await other.bearer.delete(`${other.path}/invites/${id}`), 'not_found')
    expect(await pending()).toHaveLength(1)
  })
})

describe('invites to an account', () => {
  it('[AC-037] are listed with their worlds', async () => {
    const id = await invite(shared, person.email.toUpperCase(), 'guest')
    expect(await received(person)).toEqual([
      {
        id,
        world: { id: shared.world, name: 'World' },
        email: person.email.toUpperCase(),
        role: 'guest',
        created_at: expect.stringMatching(timestampForm),
      },
    ])
  })

  it('[AC-038] show only once their email is verified', async () => {
    const email = `${randomUUID()}@example.org`
    const id = await invite(shared, email, 'guest')
    expectBody(await person.bearer.post(`${root}/emails`, { email }), 202)
    expect(await received(person)).toEqual([])
    expectRefused(await accept(person, id), 'not_found')
    const mail = (await mails()).find(({ to, text }) => to === email && text.includes('token='))
    const token = /token=(\S+)/.exec(mail.text)?.[1]
    expectBody(await person.bearer.post(`${root}/emails/verify`, { token }), 200)
    expect((await received(person)).map((row) => row.id)).toEqual([id])
    expectBody(await accept(person, id), 201)
  })

  it('[AC-026] can be refused', async () => {
    const id = await invite(shared, person.email, 'guest')
    const other = await newPerson(system)
    const refuse = (by: Person, which = id) => by.bearer.post(`${root}/invites/${which}/refuse`)
    expectRefused(await refuse(other), 'not_found')
    expectDone(await refuse(person))
    expect([await received(person), await pending()]).toEqual([[], []])
    expectRefused(await refuse(person), 'not_found')
    expectRefused(await refuse(person, 'nope'), 'invalid_request', 'id')
    expectRefused(await accept(person, id), 'not_found')
    expect(await shared.roster()).toHaveLength(1)
  })

  it('[AC-024] are gone with their world', async () => {
    const id = await invite(shared, person.email, 'guest')
    expectDone(await shared.bearer.delete(shared.path))
    expect(await received(person)).toEqual([])
    expectRefused(await accept(person, id), 'not_found')
  })
})

describe('accepting', () => {
  it('[AC-004][AC-025][AC-041] makes an active member', async () => {
    const id = await invite(shared, person.email, 'contributor')
    const made = expectBody(await accept(person, id), 201)
    expect(made).toEqual({
      id: expect.stringMatching(uuidForm),
      world: { id: shared.world, name: 'World' },
      kind: 'person',
      role: 'contributor',
      status: 'active',
      character: null,
      roster_character: null,
      joined_at: expect.stringMatching(timestampForm),
    })
    const { id: membership, kind, role, character, status } = made
    expect(await shared.row(membership)).toEqual({ id: membership, kind, role, character, status })
    expect([await received(person), await pending()]).toEqual([[], []])
    expectRefused(await accept(person, id), 'already_member')
    expect(await shared.roster()).toHaveLength(2)
  })

  it('[AC-045] lists the world among those of the account, after its own', async () => {
    const guest = await addMember(system, shared, 'guest')
    const { bearer } = actAs(system, guest)
    const own = await createWorld(system, guest.token, 'Mine')
    const { data } = expectBody(await bearer.get(`${root}/worlds`), 200)
    expect(data.map(({ id }: Body) => id)).toEqual([own.id, shared.world])
    expect(data[1]).toEqual({
      ...expectBody(await shared.bearer.get(shared.path), 200),
      role: 'guest',
      kind: 'person',
      membership: guest.membership,
    })
    expect(expectBody(await bearer.get(shared.path), 200)).toEqual(data[1])
  })

  it('[AC-007][AC-040] as a guest makes a Character that the guest has created, whatever was asked for', async () => {
    const theirs = await shared.make('character')
    const id = await invite(shared, person.email, 'guest')
    const made = expectBody(await accept(person, id, { roster_character: theirs.id }), 201)
    expect(made.character).not.toBe(theirs.id)
    expect(made.roster_character).toBe(made.character)
    expect(await shared.read('character', made.character)).toMatchObject({
      type: 'character',
      supertype: 'Guest',
      name: 'Guest',
      created_by: made.id,
    })
    expect((await shared.row(made.id)).character).toBe(made.character)
  })

  it('[AC-039] takes a Character of the world', async () => {
    const { id: character } = await shared.make('character')
    const made = expectBody(
      await accept(person, await invite(shared, person.email, 'contributor'), { roster_character: character }),
      201,
    )
    expect([made.character, made.roster_character]).toEqual([character, character])
    expect((await shared.row(made.id)).character).toBe(character)
  })

  it('[AC-039][HD-058][HD-059] takes none that is hidden, of another category or nowhere, and leaves the invite', async () => {
    const hidden = await shared.make('character')
    expect((await shared.put(`/api/v2/character/${hidden.id}/hidden`)).status).toBe(204)
    const location = await shared.make('location')
    const id = await invite(shared, person.email, 'contributor')
    const texts = new Set<string>()
    for (const roster_character of [hidden.id, location.id, randomUUID()]) {
      const reply = await accept(person, id, { roster_character })
      expectRefused(reply, 'invalid_link', 'roster_character')
      texts.add(reply.text)
    }
    expect(texts.size).toBe(1)
    expect((await received(person)).map((row) => row.id)).toEqual([id])
    expect(await shared.roster()).toHaveLength(1)
    expect(expectBody(await accept(person, id, { roster_character: null }), 201).character).toBeNull()
  })

  it.each<[unknown, string | null]>([
    [{ roster_character: 'nope' }, 'roster_character'],
    [{ roster_character: 7 }, 'roster_character'],
    [{ character: null }, 'character'],
    ['[]', null],
    ['{', null],
  ])('[AC-039] refuses %j', async (body, param) => {
    const id = await invite(shared, person.email, 'contributor')
    expectRefused(await accept(person, id, body as Body), 'invalid_request', param)
    expect(await received(person)).toHaveLength(1)
  })

  it('[AC-005] by a member or the owner is already_member', async () => {
    const second = await verifiedEmail(person)
    const ids = [await invite(shared, person.email, 'guest'), await invite(shared, second, 'co_builder')]
    expectBody(await accept(person, ids[0] as string), 201)
    expectRefused(await accept(person, ids[1] as string), 'already_member')
    expect(await received(person)).toHaveLength(1)

    const owner = { ...shared.account, bearer: shared.bearer }
    const asOwner = await verifiedEmail(owner, await unverifiedInvite())
    expect(asOwner).toMatch(/@/)
    const [row] = await received(owner)
    expectRefused(await accept(owner, row.id), 'already_member')
  })

  it('[AC-006] without an account PIN is pin_required', async () => {
    const bare = await newPerson(system, '')
    const id = await invite(shared, bare.email, 'guest')
    expectRefused(await accept(bare, id), 'pin_required')
    expect(await shared.roster()).toHaveLength(1)
    expect(await received(bare)).toHaveLength(1)
    expectBody(await bare.bearer.patch(root, { pin: '1000' }), 200)
    expectBody(await accept(bare, id), 201)
  })

  it('[AC-005] by a member without a PIN is already_member before pin_required', async () => {
    const second = await verifiedEmail(person)
    const ids = [await invite(shared, person.email, 'guest'), await invite(shared, second, 'guest')]
    expectBody(await accept(person, ids[0] as string), 201)
    // No route takes a PIN away.
    const client = new pg.Client({ connectionString: system.databaseUrl })
    await client.connect()
    await client
      .query('update membership.accounts set pin_digest = null where id = $1', [person.id])
      .finally(() => client.end())
    expectRefused(await accept(person, ids[1] as string), 'already_member')
  })

  it('[AC-004] of an invite to somebody else is not found', async () => {
    const id = await invite(shared, person.email, 'guest')
    expectRefused(await accept(await newPerson(system), id), 'not_found')
    expectRefused(await accept(person, randomUUID()), 'not_found')
    expectRefused(await accept(person, 'nope'), 'invalid_request', 'id')
    expect(await received(person)).toHaveLength(1)
  })

  it('[AC-004] again after having left makes a new member', async () => {
    const first = expectBody(await accept(person, await invite(shared, person.email, 'guest')), 201)
    expectDone(await person.bearer.post(`${shared.path}/leave`))
    const second = expectBody(await accept(person, await invite(shared, person.email, 'guest')), 201)
    expect(second.id).not.toBe(first.id)
    expect((await shared.roster()).map(({ id, status }) => [id, status])).toEqual([
      [null, 'active'],
      [second.id, 'active'],
      [first.id, 'removed'],
    ])
  })

  it('[AC-025] one invite at once by several tries makes one member and one Character', async () => {
    const id = await invite(shared, person.email, 'guest')
    const replies = await Promise.all([1, 2, 3, 4].map(() => accept(person, id)))
    const made = replies.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
    for (const reply of replies) if (reply.status !== 201) expectRefused(reply, 'already_member')
    expect(await shared.roster()).toHaveLength(2)
    expect(await charactersOf(shared, 'Guest')).toHaveLength(1)
  })

  it('[AC-005] several invites at once makes one member and one Character', async () => {
    const second = await verifiedEmail(person)
    const ids = [await invite(shared, person.email, 'guest'), await invite(shared, second, 'guest')]
    const replies = await Promise.all(ids.map((id) => accept(person, id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(await shared.roster()).toHaveLength(2)
    expect(await charactersOf(shared, 'Guest')).toHaveLength(1)
  })

  it('[AC-024] and cancelling at once end in one of the two', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const one = await newPerson(system)
      const id = await invite(shared, one.email, 'contributor')
      const [joined, cancelled] = await Promise.all([
        accept(one, id),
        shared.bearer.delete(`${shared.path}/invites/${id}`),
      ])
      expect([joined.status, cancelled.status].sort()).toEqual(joined.status === 201 ? [201, 404] : [204, 404])
    }
    await until(async () => (await pending()).length === 0)
  })

  /** An email that was invited before anybody had verified it. */
  async function unverifiedInvite(): Promise<string> {
    const email = `${randomUUID()}@example.org`
    await invite(shared, email, 'guest')
    return email
  }

  async function verifiedEmail({ bearer }: Pick<Person, 'bearer'>, email = `${randomUUID()}@example.org`) {
    expectBody(await bearer.post(`${root}/emails`, { email }), 202)
    const mail = (await mails()).find(({ to, text }) => to === email && text.includes('token='))
    const token = /token=(\S+)/.exec(mail.text)?.[1]
    expectBody(await bearer.post(`${root}/emails/verify`, { token }), 200)
    return email
  }
})
