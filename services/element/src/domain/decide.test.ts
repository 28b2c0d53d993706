/**
 * Batches of random writes against a model of the world that is too simple to be wrong: one map of
 * elements, one write after another. A stored world in memory is loaded from and committed to just
 * as PostgreSQL would be, so what is checked is everything between a request and its write set.
 */
import { readElementInput } from '@worlds/domain/element-input'
import { type Category, categories } from '@worlds/domain/registry'
import fc from 'fast-check'
import { decide } from './decide'
import type { Facts, StoredElement } from './facts'
import type { Answer, Intent, Write } from './intent'
import { needsOf } from './needs'
import { viewMoves } from './view-moves'
import { WorldState } from './world-state'
import { type LinkRow, type WriteSet, writeSetOf } from './write-set'

const ids = Array.from({ length: 6 }, (_, n) => `00000000-0000-4000-8000-00000000000${n}`)
const slugs = ['character', 'location', 'narrative', 'pin'] as const
const category = (slug: string) => categories.get(slug) as Category

type Body = Record<string, unknown>

/** What a client may send: links to any of the ids, of the right category or not. */
const bodies: Record<(typeof slugs)[number], fc.Arbitrary<Body>> = {
  character: body({ friends: fc.subarray(ids), location: idOrNull(), level: fc.nat(20), x_note: fc.jsonValue() }),
  location: body({ zone: fc.constant(null), rival: idOrNull() }),
  narrative: body({ characters: fc.subarray(ids), narrator: idOrNull() }),
  pin: body({ element_type: fc.constantFrom('', 'character', 'location'), element_id: idOrNull(), x: fc.nat(9) }),
}

function body(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Body> {
  return fc.record(
    { name: fc.string({ maxLength: 5 }).filter((text) => !text.includes('\0')), ...fields },
    { requiredKeys: ['name'] },
  )
}

function idOrNull(): fc.Arbitrary<string | null> {
  return fc.option(fc.constantFrom(...ids))
}

const input = (slug: string, value: Body, requireName: boolean) =>
  readElementInput(category(slug), value, () => JSON.stringify(value), {
    requireName,
    readId: true,
    extensionPrefixes: ['x_'],
  })

const element = fc.constantFrom(...slugs).chain((slug) => bodies[slug].map((value) => ({ slug, value })))

const intents: fc.Arbitrary<Intent> = fc.oneof(
  fc.tuple(element, fc.constantFrom(...ids)).map(
    ([{ slug, value }, id]): Intent => ({
      kind: 'create',
      category: category(slug),
      id,
      input: input(slug, { ...value, id }, true),
    }),
  ),
  fc.tuple(element, fc.constantFrom(...ids)).map(
    ([{ slug, value }, id]): Intent => ({
      kind: 'put',
      category: category(slug),
      id,
      input: input(slug, value, true),
    }),
  ),
  fc.tuple(element, fc.constantFrom(...ids)).map(
    ([{ slug, value }, id]): Intent => ({
      kind: 'patch',
      category: category(slug),
      id,
      input: input(slug, value, false),
      ifMatch: '',
    }),
  ),
  fc.tuple(fc.constantFrom(...slugs), fc.constantFrom(...ids)).map(
    ([slug, id]): Intent => ({
      kind: 'delete',
      category: category(slug),
      id,
    }),
  ),
  fc
    .tuple(fc.constantFrom('hide' as const, 'unhide' as const), fc.constantFrom(...slugs), fc.constantFrom(...ids))
    .map(([kind, slug, id]): Intent => ({ kind, category: category(slug), id, fault: null })),
  fc.tuple(fc.constantFrom(...ids), fc.subarray(ids), fc.subarray(ids)).map(
    ([id, add, remove]): Intent => ({
      kind: 'links',
      category: category('character'),
      id,
      field: 'friends',
      add,
      remove,
      ifMatch: '',
    }),
  ),
  fc.tuple(fc.array(fc.tuple(element, fc.constantFrom(...ids)), { maxLength: 4 }), fc.boolean()).map(
    ([items, atomic]): Intent => ({
      kind: 'bulk',
      atomic,
      items: items.map(([{ slug, value }, id]) => ({
        category: category(slug),
        id,
        input: input(slug, { ...value, id }, true),
      })),
    }),
  ),
)

const linkKey = ({ target, field, source }: LinkRow) => `${target} ${field} ${source}`

/** The tables, as far as elements go. */
class Store {
  head = 0
  readonly elements = new Map<string, StoredElement>()
  readonly links = new Map<string, LinkRow>()
  readonly tombstones: number[] = []
  readonly marks = new Set<string>()

  load(writes: readonly Write[]): Facts {
    const needs = needsOf(writes)
    const carriers = new Map<string, string[]>()
    for (const { target, source } of this.links.values()) {
      if (needs.deleted.has(target)) carriers.set(target, [...(carriers.get(target) ?? []), source])
    }
    const whole = new Set([...needs.elements, ...[...carriers.values()].flat()])
    const pick = (wanted: Set<string>) => [...this.elements].filter(([id]) => wanted.has(id))
    return {
      head: { head: this.head, viewVersion: 0, authVersion: 1, timeline: 1, lastWriteAt: 0, commits: 0 },
      elements: new Map(pick(whole)),
      withheld: new Map(),
      roll: null,
      linked: new Map(
        pick(needs.targets).map(([id, { type, createdBy }]) => [id, { type, createdBy, characters: [] }]),
      ),
      elsewhere: new Set(),
      carriers,
      receipts: [],
      marks: new Set(this.marks),
      tombstones: [],
      record: null,
    }
  }

  commit(
    { marksGone, marksCome, head, made, changed, deleted, linksGone, linksCome, tombstones }: WriteSet,
    now: string,
  ): void {
    for (const row of made) {
      expect(this.elements.has(row.id)).toBe(false)
      const { id, type, body, createdBy, seq: changeSeq } = row
      this.elements.set(id, { id, type, body, createdBy, createdAt: now, updatedAt: now, changeSeq })
    }
    for (const row of changed) {
      const stored = this.elements.get(row.id) as StoredElement
      expect(stored.type).toBe(row.type)
      this.elements.set(row.id, { ...stored, body: row.body, updatedAt: now, changeSeq: row.seq })
    }
    for (const id of deleted) {
      expect(this.elements.delete(id)).toBe(true)
      this.marks.delete(id)
    }
    for (const id of marksGone) expect(this.marks.delete(id)).toBe(true)
    for (const { id } of marksCome) {
      expect(this.marks.has(id)).toBe(false)
      this.marks.add(id)
    }
    for (const row of linksGone) expect(this.links.delete(linkKey(row))).toBe(true)
    for (const row of linksCome) {
      expect(this.links.has(linkKey(row))).toBe(false)
      this.links.set(linkKey(row), row)
    }
    this.tombstones.push(...tombstones.map(({ seq }) => seq))
    this.head = head
  }
}

/** Runs writes batch by batch, as the queue does; what a batch leaves goes into the next. */
function run(store: Store, batches: readonly (readonly Intent[])[]): Answer[] {
  const answers: Answer[] = []
  for (const batch of batches) {
    let waiting = batch.map((intent): Write => ({ intent, actor: { membership: null, authVersion: 1 }, receipt: null }))
    while (waiting.length > 0) {
      const world = new WorldState(store.load(waiting), '2026-01-01T00:00:00.000000+00:00')
      const answered = decide(world, 'w', waiting, 'docs')
      expect(answered.length).toBeGreaterThan(0)
      store.commit(writeSetOf(world, viewMoves(world).moves), world.now)
      answers.push(...answered)
      waiting = waiting.slice(answered.length)
    }
  }
  return answers
}

const linkFields = ['friends', 'location', 'rival', 'characters', 'narrator', 'element_id']

function linksIn({ id, body: text }: StoredElement): string[] {
  const value = JSON.parse(`${text}}`) as Record<string, string | string[] | null | undefined>
  return linkFields.flatMap((field) =>
    [value[field] ?? []].flat().map((target) => linkKey({ target: target as string, field, source: id })),
  )
}

const plans = fc.array(fc.array(intents, { minLength: 1, maxLength: 6 }), { maxLength: 6 })

/** Gives up what only the clock and the places tell apart. */
const outcome = (answer: Answer) => {
  if (answer.kind !== 'body') return answer.kind === 'refusal' ? answer.refusal.code : answer.kind
  return `${answer.status} ${answer.body.replace(/"change_seq":\d+/g, '')}`
}

describe('a batch of writes', () => {
  it('comes to the same as its writes one by one', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const together = new Store()
        const alone = new Store()
        const batched = run(together, plan)
        const single = run(
          alone,
          plan.flat().map((intent) => [intent]),
        )
        expect(batched.map(outcome)).toEqual(single.map(outcome))
        expect([...together.elements.keys()].sort()).toEqual([...alone.elements.keys()].sort())
        for (const [id, stored] of together.elements) expect(stored).toEqual(alone.elements.get(id))
        expect([...together.links.keys()].sort()).toEqual([...alone.links.keys()].sort())
        expect(together.tombstones).toEqual(alone.tombstones)
        expect([...together.marks].sort()).toEqual([...alone.marks].sort())
        expect(together.head).toBe(alone.head)
      }),
      { numRuns: 400 },
    )
  })

  it('leaves the link rows as the bodies say, and no link to what is gone', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const store = new Store()
        run(store, plan)
        const inBodies = [...store.elements.values()].flatMap(linksIn).sort()
        expect([...store.links.keys()].sort()).toEqual(inBodies)
        for (const { target } of store.links.values()) expect(store.elements.has(target)).toBe(true)
      }),
      { numRuns: 400 },
    )
  })

  it('gives every place once: to a live element, a tombstone, a hide, or a write since overwritten', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const store = new Store()
        run(store, plan)
        const places = [...[...store.elements.values()].map(({ changeSeq }) => changeSeq), ...store.tombstones]
        expect(new Set(places).size).toBe(places.length)
        for (const place of places) expect(place).toBeLessThanOrEqual(store.head)
        // A hide takes a place too, which no element shows.
        const hides = plan.flat().some(({ kind }) => kind === 'hide')
        if (store.head > 0 && !hides) expect(places).toContain(store.head)
      }),
      { numRuns: 200 },
    )
  })
})
