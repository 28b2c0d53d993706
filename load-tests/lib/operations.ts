/** What scenarios are put together from: one thing that a client does, and whether its answer is right. */
import { describe, openWorlds, type World } from './auth.ts'
import { expect, expectServed } from './checks.ts'
import { ask } from './client.ts'
import { elementOf, freshKey, houses, isElement, pick, seed } from './data.ts'

export interface Filled extends World {
  /** Of the elements 0, 1, 2, … that were there before the run, and that nothing changes. */
  readonly ids: readonly string[]
  /** After them. */
  readonly cursor: string
  readonly head: number
}

const path = '/api/v2/character'

export function fillWorlds(count: number, elements: number): Filled[] {
  return openWorlds(count).map((world) => {
    const ids = seed(world, elements)
    const tip = ask('GET', '/api/v2/changes?head=true', { op: 'prepare', headers: world.headers })
    if (!tip.ok) throw new Error(`the feed has no head: ${describe(tip)}`)
    return { ...world, ids, cursor: tip.body.cursor, head: tip.body.head }
  })
}

export function readOne({ headers, ids }: Filled): void {
  const index = Math.floor(Math.random() * ids.length)
  const reply = ask('GET', `${path}/${ids[index]}`, { op: 'read', headers })
  if (expectServed('read', reply, 200)) expect('an element reads as written', isElement(reply.body, index), reply.text)
}

/** Two pages that follow each other. */
export function listTwoPages({ headers }: Filled): void {
  const first = ask('GET', `${path}?limit=50`, { op: 'list', headers })
  if (!expectServed('list', first, 200)) return
  expect('a page is full while more follow', first.body.data.length === 50 && first.body.has_more)
  const cursor = encodeURIComponent(first.body.next_cursor)
  const second = ask('GET', `${path}?limit=50&cursor=${cursor}`, { op: 'list', headers })
  if (!expectServed('list', second, 200)) return
  const seen = new Set([...first.body.data, ...second.body.data].map(({ id }) => id))
  expect('no element is on two pages', seen.size === first.body.data.length + second.body.data.length)
}

export function searchByName({ headers, ids }: Filled): void {
  const house = `the ${Math.floor(Math.random() * Math.min(houses, ids.length))}th house`
  const reply = ask('GET', `${path}?limit=20&name__icontains=${encodeURIComponent(house)}`, { op: 'search', headers })
  if (!expectServed('search', reply, 200)) return
  const names: string[] = reply.body.data.map(({ name }: { name: string }) => name)
  expect(
    'a search finds what has the words, and nothing else',
    names.length > 0 && names.every((name) => name.includes(house)),
    names,
  )
}

/** Creates one, reads it back, and every fourth time asks again with the same key. */
export function createOne({ headers }: Filled): void {
  const index = Math.floor(Math.random() * 1e9)
  const keyed = { ...headers, 'Idempotency-Key': freshKey() }
  const body = elementOf(index)
  const made = ask('POST', path, { op: 'write', headers: keyed, body })
  if (!expectServed('write', made, 201)) return
  const read = ask('GET', `${path}/${made.body.id}`, { op: 'read', headers })
  if (expectServed('read', read, 200))
    expect('a write is there once it is answered', isElement(read.body, index), read.text)
  if (Math.random() < 0.25) expectReplay(path, keyed, body, made.text, 201)
}

/** A retry with the same key writes nothing and is answered the same. */
export function expectReplay(
  to: string,
  keyed: Record<string, string>,
  body: unknown,
  text: string,
  status: number,
): void {
  const again = ask('POST', to, { op: 'replay', headers: keyed, body })
  if (!expectServed('replay', again, status)) return
  expect(
    'a retry is answered as the first time',
    again.header('idempotent-replay') === 'true' && again.text === text,
    again.text,
  )
}

/** Changes one of its own making, and reads it back. */
export function patchOne({ headers }: Filled): void {
  const made = ask('POST', path, { op: 'write', headers, body: { name: 'To be changed' } })
  if (!expectServed('write', made, 201)) return
  const level = Math.floor(Math.random() * 1000)
  const asMade = { ...headers, 'If-Match': String(made.body.change_seq) }
  const changed = ask('PATCH', `${path}/${made.body.id}`, { op: 'patch', headers: asMade, body: { level } })
  if (!expectServed('patch', changed, 200)) return
  const read = ask('GET', `${path}/${made.body.id}`, { op: 'read', headers })
  if (expectServed('read', read, 200))
    expect('a change is there once it is answered', read.body.level === level, read.text)
}

/** One of the worlds, at random. */
export function anyOf(worlds: readonly Filled[]): Filled {
  return pick(worlds)
}
