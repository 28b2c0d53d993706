import { idempotencyReuse, unknownKey } from '@worlds/domain/errors'
import { fullView } from '@worlds/domain/view'
import { decideBulk } from './decide-bulk'
import {
  decideCreate,
  decideDelete,
  decideLinks,
  decidePatch,
  decidePut,
  decideReplace,
  type Writer,
} from './decide-element'
import { decideHidden } from './decide-hidden'
import { decideChangeMember, decideForget, decideJoin, decideLeave } from './decide-roll'
import { decideWorld } from './decide-world'
import { type Actor, type Answer, isBadItem, refused, type Write } from './intent'
import { viewOfMember } from './roll'
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
  const writer = admit(world, write)
  if ('kind' in writer) return writer
  const answer = decideIntent(world, worldId, writer, write, docsUrl)
  keepReceipt(world, write, answer)
  return answer
}

/** Who writes; or what the write is answered with before it is looked at. */
export function admit(world: WorldState, { actor, receipt }: Write): Writer | Answer {
  if (actor.authVersion !== null && actor.authVersion !== world.facts.head.authVersion) return { kind: 'ask-again' }
  const writer = writerOf(world, actor)
  if (writer === null) return refused(unknownKey())
  const stored = receipt === null ? undefined : world.findReceipt(receipt)
  if (stored === undefined) return writer
  if (stored.hash !== receipt?.hash) return refused(idempotencyReuse())
  return { kind: 'body', status: stored.status, body: stored.reply, replayed: true }
}

/** Of a keyed write that was done the reply is kept, in the same commit. */
export function keepReceipt(world: WorldState, { receipt }: Write, answer: Answer): void {
  if (receipt === null || answer.kind !== 'body' || answer.replayed) return
  world.newReceipts.push({ ...receipt, status: answer.status, reply: answer.body })
}

/** Null for a membership that is not, or no longer, active: its keys are on their way out. */
function writerOf(world: WorldState, actor: Actor): Writer | null {
  if (actor.membership === null) return { ...actor, view: fullView }
  const member = world.findMember(actor.membership)
  return member?.status === 'active' ? { ...actor, view: viewOfMember(member) } : null
}

function decideIntent(world: WorldState, worldId: string, writer: Writer, { intent }: Write, docsUrl: string): Answer {
  switch (intent.kind) {
    case 'create':
      return decideCreate(world, writer, intent)
    case 'put':
      return decidePut(world, writer, intent)
    case 'replace':
      return decideReplace(world, writer, intent)
    case 'patch':
      return decidePatch(world, writer, intent)
    case 'links':
      return decideLinks(world, writer, intent)
    case 'delete':
      return decideDelete(world, writer, intent)
    case 'hide':
    case 'unhide':
      return decideHidden(world, writer, intent)
    case 'bulk':
      return decideBulk(world, writer, intent, docsUrl)
    case 'world':
      return decideWorld(world, worldId, intent)
    case 'join':
      return decideJoin(world, intent)
    case 'change-member':
      return decideChangeMember(world, intent)
    case 'leave':
      return decideLeave(world, intent)
    case 'forget':
      return decideForget(world, intent)
  }
}
