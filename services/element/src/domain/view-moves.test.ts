import { readElementInput } from '@worlds/domain/element-input'
import { type Category, categories } from '@worlds/domain/registry'
import { decide } from './decide'
import type { Facts, LinkedElement, StoredElement } from './facts'
import type { Actor, Intent, Write } from './intent'
import type { Member } from './roll'
import { viewMoves } from './view-moves'
import { WorldState } from './world-state'

const now = '2026-01-01T00:00:00.000000+00:00'
const [guest, contributor, coBuilder, seat] = ['g', 'c', 'b', 's'] as const
const [played, other, story, place] = ['played', 'other', 'story', 'place'] as const
const owner: Actor = { membership: null, authVersion: 1 }

function member(id: string, role: Member['role'], character: string | null = null): Member {
  const kind = id === seat ? 'agent' : 'person'
  return { id, kind, role, status: 'active', name: null, character, maker: null, place: 1, joinedAt: now }
}

const roll = [member(guest, 'guest', played), member(contributor, 'contributor'), member(coBuilder, 'co_builder')]

interface Stored {
  readonly type: string
  readonly createdBy?: string
  readonly characters?: readonly string[]
}

/** A guest that plays a Character, one that is nobody's, a story that names the first, and a place. */
const elements: Record<string, Stored> = {
  [played]: { type: 'character', createdBy: guest },
  [other]: { type: 'character' },
  [story]: { type: 'narrative', characters: [played] },
  [place]: { type: 'location' },
}

interface World {
  readonly members?: readonly Member[]
  readonly elements?: Record<string, Stored>
  readonly hidden?: readonly string[]
  readonly ownerCharacter?: string | null
  readonly tombstones?: Facts['tombstones']
  readonly carriers?: Record<string, readonly string[]>
}

function worldOf(given: World): WorldState {
  const stored = Object.entries({ ...elements, ...given.elements })
  const whole = stored.map(([id, { type, createdBy = null, characters = [] }]): [string, StoredElement] => {
    const body = `{"type":"${type}","id":"${id}","characters":${JSON.stringify(characters)}`
    return [id, { id, type, body, createdAt: now, updatedAt: now, changeSeq: 1, createdBy }]
  })
  const linked = stored.map(([id, { type, createdBy = null, characters = [] }]): [string, LinkedElement] => [
    id,
    { type, createdBy, characters },
  ])
  const { members = roll, ownerCharacter = null } = given
  return new WorldState(
    {
      head: { head: 10, viewVersion: 1, authVersion: 1, timeline: 1, lastWriteAt: 0, commits: 0 },
      roll: { timeline: 1, viewVersion: 1, members: new Map(members.map((one) => [one.id, one])), ownerCharacter },
      elements: new Map(whole),
      linked: new Map(linked),
      elsewhere: new Set(),
      withheld: new Map(),
      carriers: new Map(Object.entries(given.carriers ?? {})),
      receipts: [],
      marks: new Set(given.hidden),
      tombstones: given.tombstones ?? [],
      record: { owner_character: ownerCharacter } as Facts['record'],
    },
    now,
  )
}

function movesOf(given: World, ...intents: readonly Intent[]) {
  const world = worldOf(given)
  const writes = intents.map((intent): Write => ({ actor: owner, intent, receipt: null }))
  const answers = decide(world, 'w', writes, 'docs')
  expect(answers.some(({ kind }) => kind === 'refusal')).toBe(false)
  const { moves, gains } = viewMoves(world)
  return { moves: Object.fromEntries(moves), gains: gains.map((gain) => [gain.member.id, gain.id]) }
}

const categoryOf = (slug: string) => categories.get(slug) as Category
const input = (slug: string, value: object) =>
  readElementInput(categoryOf(slug), value, () => JSON.stringify(value), {
    requireName: false,
    readId: false,
    extensionPrefixes: [],
  })
const naming = (characters: readonly string[], id: string = story): Intent => {
  const members = { category: categoryOf('narrative'), id, field: 'characters', ifMatch: '' }
  return { kind: 'links', ...members, add: characters, remove: characters.length === 0 ? [played] : [] }
}
const made = (id: string, characters: readonly string[]): Intent => {
  const one = input('narrative', { name: 'x' })
  const values = new Map([...one.values, ['characters', characters] as const])
  return { kind: 'create', category: categoryOf('narrative'), id, input: { ...one, values } }
}
const marked = (kind: 'hide' | 'unhide', slug: string, id: string): Intent => {
  return { kind, category: categoryOf(slug), id, fault: null }
}
const gone = (slug: string, id: string): Intent => ({ kind: 'delete', category: categoryOf(slug), id })
const ownerIs = (character: string | null): Intent => ({ kind: 'world', patch: { owner_character: character } })
const nothing = { moves: {}, gains: [] }

describe('what moves a view', () => {
  it('is not an element made for a guest: its own place tells it', () => {
    expect(movesOf({}, made('new', [played]))).toEqual(nothing)
  })

  it('is not a name added either, unless something else that is seen links to it', () => {
    const unnamed = { [story]: { type: 'narrative' } }
    expect(movesOf({ elements: unnamed }, naming([played]))).toEqual({ moves: {}, gains: [[guest, story]] })
  })

  it('is a name taken away: no record tells a loss', () => {
    expect(movesOf({}, naming([]))).toEqual({ moves: { [guest]: 'view' }, gains: [] })
  })

  it('is not a name taken away and put back in one commit', () => {
    expect(movesOf({}, naming([]), naming([played]))).toEqual(nothing)
  })

  it('is a hide of what a guest saw; contributors are told of it', () => {
    expect(movesOf({}, marked('hide', 'narrative', story))).toEqual({ moves: { [guest]: 'view' }, gains: [] })
    expect(movesOf({}, marked('hide', 'location', place))).toEqual(nothing)
  })

  it('is no hide of what the member created', () => {
    expect(movesOf({}, marked('hide', 'character', played))).toEqual(nothing)
  })

  it('is an unhide, for whoever did not create it and now sees it', () => {
    const both = { [contributor]: 'view', [guest]: 'view' }
    expect(movesOf({ hidden: [story] }, marked('unhide', 'narrative', story)).moves).toEqual(both)
    expect(movesOf({ hidden: [place] }, marked('unhide', 'location', place)).moves).toEqual({ [contributor]: 'view' })
    const own = { [place]: { type: 'location', createdBy: contributor } }
    expect(movesOf({ hidden: [place], elements: own }, marked('unhide', 'location', place))).toEqual(nothing)
  })

  it('is not a deletion of what was seen as it went', () => {
    expect(movesOf({}, gone('narrative', story))).toEqual(nothing)
    expect(movesOf({}, gone('location', place))).toEqual(nothing)
  })

  it('is a deletion that the tombstone no longer tells: the name went in the same commit', () => {
    expect(movesOf({}, naming([]), gone('narrative', story)).moves).toEqual({ [guest]: 'view' })
  })

  it('is the end of a guest’s own Character', () => {
    expect(movesOf({ carriers: { [played]: [story] } }, gone('character', played)).moves).toEqual({ [guest]: 'view' })
  })

  it('is a Character that comes to the roster, or leaves it', () => {
    expect(movesOf({}, ownerIs(other)).moves).toEqual({ [guest]: 'view' })
    expect(movesOf({ ownerCharacter: other }, ownerIs(null)).moves).toEqual({ [guest]: 'view' })
    expect(movesOf({}, ownerIs(played))).toEqual(nothing)
    const joining = { id: seat, kind: 'agent', role: 'contributor', name: 'A', maker: null } as const
    const join = { kind: 'join', member: joining } as const
    expect(movesOf({}, { ...join, character: other, made: null }).moves).toEqual({ [guest]: 'view' })
    const fresh = { id: 'fresh', name: 'A', supertype: 'Agent' }
    expect(movesOf({}, { ...join, character: null, made: fresh })).toEqual(nothing)
  })

  it('is the member’s own role before all else, and a guest’s own Character', () => {
    const change = (id: string, role?: Member['role'], character?: string | null): Intent => {
      return { kind: 'change-member', member: id, role, character }
    }
    expect(movesOf({}, change(contributor, 'guest')).moves).toEqual({ [contributor]: 'role' })
    expect(movesOf({}, change(contributor, 'contributor'))).toEqual(nothing)
    expect(movesOf({}, change(coBuilder, 'contributor')).moves).toEqual({ [coBuilder]: 'role' })
    expect(movesOf({}, change(guest, undefined, null)).moves).toEqual({ [guest]: 'view' })
    const leftOne = { ...member(seat, 'guest', other), status: 'removed' } as const
    expect(movesOf({ members: [...roll, leftOne] }, ownerIs(null))).toEqual(nothing)
  })

  it('is a hide that keeps an earlier deletion of the same id from a guest that may hold it', () => {
    const earlier = { id: place, createdBy: null, characters: [played], onRoster: false, hidden: false }
    expect(movesOf({ tombstones: [earlier] }, marked('hide', 'location', place)).moves).toEqual({ [guest]: 'view' })
    const again = [made('again', []), marked('hide', 'narrative', 'again')]
    expect(movesOf({ tombstones: [{ ...earlier, id: 'again' }] }, ...again).moves).toEqual({ [guest]: 'view' })
    const unseen = { ...earlier, characters: [other] }
    expect(movesOf({ tombstones: [unseen] }, marked('hide', 'location', place))).toEqual(nothing)
  })
})
