import { idempotencyReuse } from '@worlds/domain/errors'
import { decideBulk } from './decide-bulk'
import { decideCreate, decideDelete, decideLinks, decidePatch, decidePut } from './decide-element'
import { decideHidden } from './decide-hidden'
import { decideWorld } from './decide-world'
import { type Answer, isBadItem, refused, type Write } from './intent'
import type { WorldState } from './world-state'

/**
 * Answers writes one after another, each against what was loaded and what the ones before it have
 * put. Stops before a write that must wait for the next batch: fewer answers than writes.
 */
export function decide(world: WorldState, worldId: string, writes: readonly Write[], docsUrl: string): Answer[] {
  const answers: Answer[] = []
  for (const write of writes) {
    if (mustWait(world, write)) break
    answers.push(decideOne(world, worldId, write, docsUrl))
  }
  return answers
}

/** A stored id that this batch deletes is made again by the next one: a batch writes each row once. */
function mustWait(world: WorldState, { intent }: Write): boolean {
  if (intent.kind === 'create' || intent.kind === 'put') return world.isGoing(intent.id)
  return intent.kind === 'bulk' && intent.items.some((item) => !isBadItem(item) && world.isGoing(item.id))
}

function decideOne(world: WorldState, worldId: string, write: Write, docsUrl: string): Answer {
  const { actor, receipt } = write
  if (actor.authVersion !== world.facts.head.authVersion) return { kind: 'ask-again' }
  if (receipt === null) return decideIntent(world, worldId, write, docsUrl)
  const stored = world.findReceipt(receipt)
  if (stored !== undefined) {
    if (stored.hash !== receipt.hash) return refused(idempotencyReuse())
    return { kind: 'body', status: stored.status, body: stored.reply, replayed: true }
  }
  const answer = decideIntent(world, worldId, write, docsUrl)
  if (answer.kind === 'body') world.newReceipts.push({ ...receipt, status: answer.status, reply: answer.body })
  return answer
}

function decideIntent(world: WorldState, worldId: string, { actor, intent }: Write, docsUrl: string): Answer {
  switch (intent.kind) {
    case 'create':
      return decideCreate(world, actor, intent)
    case 'put':
      return decidePut(world, actor, intent)
    case 'patch':
      return decidePatch(world, intent)
    case 'links':
      return decideLinks(world, intent)
    case 'delete':
      return decideDelete(world, actor, intent)
    case 'hide':
    case 'unhide':
      return decideHidden(world, actor, intent)
    case 'bulk':
      return decideBulk(world, actor, intent, docsUrl)
    case 'world':
      return decideWorld(world, worldId, intent)
  }
}
