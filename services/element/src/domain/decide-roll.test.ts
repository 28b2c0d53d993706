import { decide } from './decide'
import type { Facts, LinkedElement } from './facts'
import { type RollIntent, service } from './intent'
import type { Member } from './roll'
import { WorldState } from './world-state'

const now = '2026-01-01T00:00:00.000000+00:00'

function member(id: string, role: Member['role'], more: Partial<Member> = {}): Member {
  const common = { status: 'active', name: null, character: null, maker: null, place: 1, joinedAt: now } as const
  return { ...common, id, kind: 'person', role, ...more }
}

const seat = (id: string, role: Member['role'], character: string | null = null): Member =>
  member(id, role, { kind: 'agent', name: id, maker: 'maker', character })

/** Decides the intents as one batch, which one commit writes. */
function decided(members: readonly Member[], ...intents: readonly RollIntent[]) {
  const linked = new Map<string, LinkedElement>([
    ['made-by-seat', { type: 'character', createdBy: 'builder', characters: [] }],
    ['made-by-owner', { type: 'character', createdBy: null, characters: [] }],
  ])
  const facts: Facts = {
    head: { head: 1, viewVersion: 1, authVersion: 1, timeline: 1, lastWriteAt: 0, commits: 0 },
    roll: { timeline: 1, viewVersion: 1, members: new Map(members.map((one) => [one.id, one])), ownerCharacter: null },
    elements: new Map(),
    withheld: new Map(),
    linked,
    elsewhere: new Set(),
    carriers: new Map(),
    receipts: [],
    marks: new Set(),
    tombstones: [],
    record: null,
  }
  const world = new WorldState(facts, now)
  const writes = intents.map((intent) => ({ actor: service, intent, receipt: null }))
  const answers = decide(world, 'w', writes, 'docs')
  const changes = [...world.rollChanges.values()].map(({ id, role, status, character }) => [
    id,
    role,
    status,
    character,
  ])
  return { answers: answers.map((answer) => ('refusal' in answer ? answer.refusal.code : 'done')), changes }
}

const change = (id: string, role: Member['role']): RollIntent => ({
  kind: 'change-member',
  member: id,
  role,
  character: undefined,
})
const join = (id: string, role: Member['role'], maker: string | null): RollIntent => ({
  kind: 'join',
  member: { id, kind: 'agent', role, name: id, maker },
  character: null,
  made: null,
})

const roll = [
  member('maker', 'co_builder'),
  seat('builder', 'co_builder', 'made-by-seat'),
  seat('writer', 'contributor', 'made-by-owner'),
  seat('guest', 'guest'),
  member('linked', 'co_builder', { kind: 'agent', name: 'linked' }),
]

describe('the seats that a member made for itself', () => {
  it('are lowered in the batch that lowers the member', () => {
    expect(decided(roll, change('maker', 'contributor')).changes).toEqual([
      ['maker', 'contributor', 'active', null],
      ['builder', 'contributor', 'active', 'made-by-seat'],
    ])
  })

  it('keep only a Character that they created when they become guests', () => {
    expect(decided(roll, change('maker', 'guest')).changes).toEqual([
      ['maker', 'guest', 'active', null],
      ['builder', 'guest', 'active', 'made-by-seat'],
      ['writer', 'guest', 'active', null],
    ])
  })

  it('are not raised above the member, nor raised with it', () => {
    const lowered = [member('maker', 'contributor'), seat('writer', 'contributor'), seat('guest', 'guest')]
    expect(decided(lowered, change('writer', 'co_builder'))).toEqual({ answers: ['invalid_request'], changes: [] })
    expect(decided(lowered, change('guest', 'contributor')).answers).toEqual(['done'])
    expect(decided(lowered, change('maker', 'co_builder')).changes).toHaveLength(1)
  })

  it('are removed in the batch that removes the member', () => {
    const { changes } = decided(roll, { kind: 'leave', member: 'maker' })
    expect(changes.map(([id, , status]) => [id, status])).toEqual([
      ['maker', 'removed'],
      ['builder', 'removed'],
      ['writer', 'removed'],
      ['guest', 'removed'],
    ])
  })

  it('join with the role that the member has by then, and not at all once it is gone', () => {
    const late = decided(roll, change('maker', 'contributor'), join('late', 'co_builder', 'maker'))
    expect(late.changes.at(-1)?.slice(0, 2)).toEqual(['late', 'contributor'])
    const gone = decided(roll, { kind: 'leave', member: 'maker' }, join('late', 'guest', 'maker'))
    expect(gone.answers).toEqual(['done', 'not_found'])
    expect(decided(roll, join('late', 'guest', 'nobody')).answers).toEqual(['not_found'])
    expect(
      decided(roll, join('late', 'co_builder', null))
        .changes.at(-1)
        ?.slice(0, 2),
    ).toEqual(['late', 'co_builder'])
  })
})
