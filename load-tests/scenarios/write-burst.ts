/** Bulk writes with idempotency keys, every fifth of them sent twice, each read back. */
import { closeWorlds } from '../lib/auth.ts'
import { expect, expectServed } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import { freshKey, isElement, itemsOf } from '../lib/data.ts'
import { anyOf, expectReplay, type Filled, fillWorlds } from '../lib/operations.ts'
import { arrivals, optionsOf, profileName } from '../lib/profile.ts'
import { type SummaryData, summarize } from '../lib/summary.ts'
import { watchMemory } from '../lib/watch.ts'

const size = Number(__ENV.ITEMS || 50)

export const options = optionsOf({ writes: arrivals(20, 'work') }, ['bulk', 'replay', 'read'])

export function setup(): Filled[] {
  return fillWorlds(Number(__ENV.WORLDS || 4), 1)
}

export function work(worlds: Filled[]): void {
  const { headers } = anyOf(worlds)
  const from = Math.floor(Math.random() * 1e9)
  const body = { items: itemsOf(from, size) }
  const keyed = { ...headers, 'Idempotency-Key': freshKey() }
  const reply = ask('POST', '/api/v2/bulk', { op: 'bulk', headers: keyed, body })
  if (!expectServed('bulk', reply, 200)) return
  const slots: { status: number; id: string }[] = reply.body.items
  const written = slots.filter(({ status }) => status === 201).length
  expect('every item of a bulk is written', !reply.body.errors && written === size, reply.text)
  if (Math.random() < 0.2) expectReplay('/api/v2/bulk', keyed, body, reply.text, 200)
  const index = Math.floor(Math.random() * size)
  const read = ask('GET', `/api/v2/character/${slots[index]?.id}`, { op: 'read', headers })
  if (expectServed('read', read, 200)) expect('an item reads as written', isElement(read.body, from + index), read.text)
}

export const watch = watchMemory

export function teardown(worlds: Filled[]): void {
  closeWorlds(worlds)
}

export function handleSummary(data: SummaryData) {
  return summarize(data, `${profileName}, write-burst of ${size}`, [], { size })
}
