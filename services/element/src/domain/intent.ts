/** What a write asks for, checked as far as it can be without looking at the world. */
import type { ElementInput } from '@worlds/domain/element-input'
import type { Refusal } from '@worlds/domain/errors'
import type { Category } from '@worlds/domain/registry'
import type { WorldPatch } from '@worlds/domain/world-input'

/** Who writes. */
export interface Actor {
  /** Null for the owner. */
  readonly membership: string | null
  /** The world's auth version that the caller's principal was found at. */
  readonly authVersion: number
}

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

export type Intent =
  | { readonly kind: 'create'; readonly category: Category; readonly id: string; readonly input: ElementInput }
  | { readonly kind: 'put'; readonly category: Category; readonly id: string; readonly input: ElementInput }
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
  | { readonly kind: 'hide' | 'unhide'; readonly category: Category; readonly id: string }
  | { readonly kind: 'world'; readonly patch: WorldPatch }

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
  | { readonly kind: 'body'; readonly status: number; readonly body: string; readonly replayed?: boolean }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }
  /** The principal is out of date. */
  | { readonly kind: 'ask-again' }

export const refused = (refusal: Refusal): Answer => ({ kind: 'refusal', refusal })

export function isBadItem(item: BulkItem | BadItem): item is BadItem {
  return 'refusal' in item
}
