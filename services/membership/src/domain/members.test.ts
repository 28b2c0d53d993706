import { isAbove, memberRow, rosterRow, seatRow } from './members'

const member = {
  id: 'm',
  kind: 'person',
  role: 'guest',
  status: 'active',
  name: '',
  character: 'c',
  character_name: 'Frodo',
  joined_at: 'then',
  world_id: 'w',
}

test('who gives a role has it or a higher one', () => {
  const roles = ['guest', 'contributor', 'co_builder'] as const
  for (const [rank, own] of roles.entries()) {
    for (const [other, role] of roles.entries()) expect(isAbove(role, own)).toBe(other > rank)
  }
  for (const role of roles) expect(isAbove(role, 'owner')).toBe(false)
})

test('an agent alone has a name in the roster', () => {
  expect(rosterRow(member)).toEqual({ id: 'm', kind: 'person', role: 'guest', character: 'c', status: 'active' })
  expect(rosterRow({ ...member, kind: 'agent', name: 'Scribe' })).toHaveProperty('name', 'Scribe')
})

test('the owner has no id, and who plays nobody no Character', () => {
  expect(memberRow({ ...member, id: '', character: '' }, true)).toMatchObject({
    id: null,
    character: null,
    joined_at: 'then',
    sponsored: true,
  })
})

test('a seat is shown under the name of its agent', () => {
  expect(seatRow({ ...member, kind: 'agent', name: 'Scribe' }, { sponsor: false, createdAt: 'then' })).toEqual({
    id: 'm',
    role: 'guest',
    agent_name: 'Scribe',
    character: 'c',
    status: 'active',
    sponsor: false,
    created_at: 'then',
  })
})
