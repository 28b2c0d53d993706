/** Families and statuses of what sharing refuses. */
import type { ApiReply } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { accept, actAs, invite, newPerson, newShared } from './members-support'
import { expectBody } from './support'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

function expectError({ status, body }: ApiReply, expected: [status: number, type: string, code: string]): void {
  expect([status, body.error.type, body.error.code]).toEqual(expected)
  expect(body.error.doc_url).toMatch(new RegExp(`#${expected[2]}$`))
}

async function share(role: 'co_builder' | 'contributor' | 'guest') {
  const own = await newShared(system)
  const member = await addMember(system, own, role)
  return { own, member, as: actAs(system, member) }
}

it('[ER-015] resync_required is an invalid_request, 409', async () => {
  const { own, member, as } = await share('contributor')
  const { cursor } = expectBody(await as.get('/api/v2/changes?head=true'), 200)
  expectBody(await own.bearer.patch(`${own.path}/members/${member.membership}`, { role: 'guest' }), 200)
  const stale = await as.get(`/api/v2/changes?since=${encodeURIComponent(cursor)}`)
  expectError(stale, [409, 'invalid_request', 'resync_required'])
})

it('[ER-016] already_member is an invalid_request, 409', async () => {
  const { own, member } = await share('guest')
  const again = await own.bearer.post(`${own.path}/invites`, { email: member.account.email, role: 'guest' })
  expectError(again, [409, 'invalid_request', 'already_member'])
})

it('[ER-017] pin_required is an invalid_request, 409', async () => {
  const own = await newShared(system)
  const person = await newPerson(system, '')
  const id = await invite(own, person.email, 'guest')
  expectError(await accept(person, id), [409, 'invalid_request', 'pin_required'])
})

it('[ER-023] not_author is a permission_error, 403', async () => {
  const { own, as } = await share('contributor')
  const { id } = await own.make('zone')
  expectError(await as.patch(`/api/v2/zone/${id}`, { name: 'x' }), [403, 'permission_error', 'not_author'])
})

it('[ER-024] owner_only is a permission_error, 403', async () => {
  const { as } = await share('co_builder')
  expectError(await as.patch('/api/v2/world', { name: 'x' }), [403, 'permission_error', 'owner_only'])
})

it('[ER-025] guest_not_supported is a permission_error, 403', async () => {
  const { as } = await share('guest')
  expectError(await as.get('/api/v2/tokens/status'), [403, 'permission_error', 'guest_not_supported'])
})

it('[RA-015][RA-019][AC-036] the codes without a documented family have one', async () => {
  const { own, member, as } = await share('co_builder')
  expectError(await as.get('/api/v2/zone?as=public'), [403, 'permission_error', 'view_as_owner_only'])
  const { id } = await own.make('character')
  expectBody(await own.put(`/api/v2/character/${id}/hidden`), 204)
  const { seat } = expectBody(await own.bearer.post(`${own.path}/seats`, { name: 'Scribe' }), 201)
  const played = await own.bearer.patch(`${own.path}/members/${seat.id}`, { character: id })
  expectError(played, [422, 'invalid_request', 'character_hidden'])
  expectBody(await own.delete(`/api/v2/character/${id}`), 204)
  const gone = await own.get(`/api/v2/character/${id}?as=${member.membership}`)
  expectError(gone, [410, 'not_found', 'gone'])
})

it('[EL-029] what was made before there were members has no creator', async () => {
  const own = await newShared(system)
  const { id } = await own.make('zone')
  await addMember(system, own, 'co_builder')
  expect(expectBody(await own.get(`/api/v2/zone/${id}`), 200).created_by).toBeNull()
})
