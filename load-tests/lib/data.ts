import exec from 'k6/execution'
import type { World } from './auth.ts'
import { describe } from './auth.ts'
import { ask } from './client.ts'

export const houses = 97

/** An element of about 1 KB. All of it follows from its number, so that what is read back can be checked. */
export function elementOf(index: number) {
  return {
    name: `Someone ${index} of the ${index % houses}th house`,
    description: `${'They crossed the river before dawn and told nobody what they had seen there. '.repeat(8)}${index}`,
    supertype: `kind-${index % 7}`,
    background: 'Raised at the edge of the old forest, sent away at twelve, back at thirty.',
    level: index % 20,
    x_note: { seen: index, tags: ['a', 'b'] },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an element as it came.
export function isElement(body: any, index: number): boolean {
  const { name, description, level, x_note } = elementOf(index)
  return (
    body?.name === name && body.description === description && body.level === level && body.x_note?.seen === x_note.seen
  )
}

export function itemsOf(from: number, count: number) {
  return Array.from({ length: count }, (_, index) => ({ type: 'character', element: elementOf(from + index) }))
}

/** Fills a world by bulk writes with the elements 0 to `count`; answers their ids in order. */
export function seed({ headers }: World, count: number): string[] {
  const ids: string[] = []
  for (let from = 0; from < count; from += 500) {
    const items = itemsOf(from, Math.min(500, count - from))
    const reply = ask('POST', '/api/v2/bulk', { op: 'prepare', headers, body: { items } })
    if (reply.status !== 200 || reply.body.errors) exec.test.abort(`the world was not filled: ${describe(reply)}`)
    for (const { id } of reply.body.items) ids.push(id)
  }
  return ids
}

export function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)] as T
}

/** Never the same in two virtual users, runs, or calls. */
export function freshKey(): string {
  return crypto.randomUUID()
}
