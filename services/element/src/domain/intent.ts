/** What a write asks for, checked as far as it can be without looking at the world. */
import type { ElementInput } from '@worlds/domain/element-input'
import type { Refusal } from '@worlds/domain/errors'
import type { Category } from '@worlds/domain/registry'
import type { WorldPatch } from '@worlds/domain/world-input'
import type { Member } from './roll'

/** Who writes. */
export interface Actor {
  /** Null for the owner. */
  readonly membership: string | null
  /** The world's auth version that the caller's principal was found at; null for the service's own work. */
  readonly authVersion: number | null
}

/** Writes of the roll are the service's own: who may ask for them is membership's business. */
export const service: Actor = { membership: null, authVersion: null }

export interface ReceiptKey {
  readonly scope: string
  readonly key: string
  readonly hash: string
}

export interface BulkItem {
  readonly category: Category
  readonly id: string
  readonly input: ElementInput
}

/** A Character that is made for a joiner, who counts as its creator (B30). */
export interface MadeCharacter {
  readonly id: string
  readonly name: string
  readonly supertype: string
}

export type ElementIntent =
  | { readonly kind: 'create'; readonly category: Category; readonly id: string; readonly input: ElementInput }
  | { readonly kind: 'put'; readonly category: Category; readonly id: string; readonly input: ElementInput }
  /** A put by a client that knows no extension fields, of what must be there. */
  | { readonly kind: 'replace'; readonly category: Category; readonly id: string; readonly input: ElementInput }
  | {
      readonly kind: 'patch'
      readonly category: Category
      readonly id: string
      readonly input: ElementInput
      readonly ifMatch: string
    }
  | { readonly kind: 'delete'; readonly category: Category; readonly id: string }
  | {
      readonly kind: 'links'
      readonly category: Category
      readonly id: string
      readonly field: string
      readonly add: readonly string[]
      readonly remove: readonly string[]
      readonly ifMatch: string
    }
  | { readonly kind: 'bulk'; readonly items: readonly (BulkItem | BadItem)[]; readonly atomic: boolean }
  | {
      readonly kind: 'hide' | 'unhide'
      readonly category: Category
      readonly id: string
      /** What is wrong with the request; told to those only who may hide at all (A43). */
      readonly fault: Refusal | null
    }
  | { readonly kind: 'world'; readonly patch: WorldPatch }

export type RollIntent =
  | {
      readonly kind: 'join'
      readonly member: Pick<Member, 'id' | 'kind' | 'role' | 'name' | 'maker'>
      /** Character to play; null for none. */
      readonly character: string | null
      /** Made where there is no `character`, or where it is hidden or gone. */
      readonly made: MadeCharacter | null
    }
  | {
      readonly kind: 'change-member'
      readonly member: string
      readonly role: Member['role'] | undefined
      readonly character: string | null | undefined
    }
  | { readonly kind: 'leave'; readonly member: string }
  /** Takes the departed member's name off some of what it made. */
  | { readonly kind: 'forget'; readonly member: string; readonly elements: readonly string[] }

export type Intent = ElementIntent | RollIntent

/** A bulk item that failed before the world was looked at. */
export interface BadItem {
  readonly id: string | null
  readonly refusal: Refusal
}

export interface Write {
  readonly actor: Actor
  readonly intent: Intent
  /** Present when the request carries an Idempotency-Key. */
  readonly receipt: ReceiptKey | null
}

/** What a write is answered with. */
export type Answer =
  | {
      readonly kind: 'body'
      readonly status: number
      readonly body: string
      readonly replayed?: boolean
      readonly etag?: string
    }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }
  /** The principal is out of date, or the world is gone. */
  | { readonly kind: 'ask-again' }

/** A write that has nothing to show. */
export const done: Answer = { kind: 'body', status: 204, body: '' }

export const refused = (refusal: Refusal): Answer => ({ kind: 'refusal', refusal })

export function isBadItem(item: BulkItem | BadItem): item is BadItem {
  return 'refusal' in item
}
