import { randomUUID } from 'node:crypto'
import type { Clients } from './connection'
import { walkFeed } from './feed'
import { type Item, itemText, linksOfItem, withoutLinks } from './item'
import { Owner } from './owner'
import { accepted, oneTry } from './reply'

export interface ImportResult {
  readonly items: number
  readonly created: number
  readonly replaced: number
  readonly failed: number
  /** Of the first few that failed. */
  readonly errors?: readonly { readonly id: string | null; readonly code: string; readonly message: string }[]
}

interface Slot {
  readonly status: number
  readonly id: string | null
  readonly error?: { readonly code: string; readonly message: string }
}

const maxItems = 1_000
const maxBytes = 2_000_000

/**
 * Brings items in through bulk writes. A bulk write checks links against the world and itself, so an
 * item that links to one of a later batch comes first without that link, and again whole at the end.
 */
export async function importItems(clients: Clients, world: string, items: readonly Item[]): Promise<ImportResult> {
  const owner = new Owner(clients, world)
  const present = await idsOf(clients, world)
  const inFile = new Set(items.map(({ id }) => id))
  const outcomes = new Map<Item, Slot>()
  const again: Item[] = []

  for (const batch of batches(items)) {
    for (const { id } of batch) if (id !== undefined) present.add(id)
    const first = batch.map((item) => {
      const later = linksOfItem(item).flatMap(({ target }) =>
        inFile.has(target) && !present.has(target) ? [target] : [],
      )
      if (later.length === 0) return item
      again.push(item)
      return withoutLinks(item, later)
    })
    const slots = await bulk(clients, owner, first)
    for (const [index, item] of batch.entries()) outcomes.set(item, slots[index] as Slot)
  }
  for (const batch of batches(again)) {
    const slots = await bulk(clients, owner, batch)
    for (const [index, item] of batch.entries()) {
      const slot = slots[index] as Slot
      if (slot.error !== undefined) outcomes.set(item, slot)
    }
  }
  return summary([...outcomes.values()])
}

function* batches(items: readonly Item[]): Generator<Item[]> {
  let batch: Item[] = []
  let bytes = 0
  for (const item of items) {
    const size = Buffer.byteLength(itemText(item)) + 1
    if (batch.length === maxItems || (batch.length > 0 && bytes + size > maxBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

async function bulk(clients: Clients, owner: Owner, items: readonly Item[]): Promise<Slot[]> {
  const body = Buffer.from(`{"items":[${items.map(itemText).join(',')}]}`)
  const idempotencyKey = randomUUID()
  const settings = { ...oneTry, affinity: owner.world, repeatable: true }
  const reply = await owner.as((principal) => {
    const request = { principal, body, idempotency_key: idempotencyKey }
    return clients.elements.unary('Bulk', request, settings)
  })
  return accepted<{ items: Slot[] }>(reply).items
}

async function idsOf(clients: Clients, world: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const records of walkFeed(clients, world)) {
    for (const record of records) {
      const { op, id } = JSON.parse(record) as { op: string; id: string }
      if (op === 'upsert') ids.add(id)
    }
  }
  return ids
}

function summary(slots: readonly Slot[]): ImportResult {
  const failed = slots.filter(({ error }) => error !== undefined)
  const errors = failed
    .slice(0, 5)
    .map(({ id, error }) => ({ id, code: error?.code ?? '', message: error?.message ?? '' }))
  return {
    items: slots.length,
    created: slots.filter(({ status }) => status === 201).length,
    replaced: slots.filter(({ status }) => status === 200).length,
    failed: failed.length,
    ...(errors.length === 0 ? {} : { errors }),
  }
}
