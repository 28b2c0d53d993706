import { type Category, categories } from '@worlds/domain/registry'
import type { Database } from '@worlds/runtime/postgres'
import type { Readers } from '@worlds/views/reader'
import type { ElementConfig } from '../config'
import type { Answer, Write } from '../domain/intent'
import type { Idempotency } from '../idempotency'

/** What the operations of this service need. */
export interface Scope {
  readonly config: ElementConfig
  readonly database: Database
  readonly readers: Readers
  readonly idempotency: Idempotency
  readonly submit: (worldId: string, write: Write) => Promise<Answer>
}

/** The gateway asks only for categories that exist. */
export function categoryOf(type: string): Category {
  const category = categories.get(type)
  if (category === undefined) throw new Error(`no such category: ${type}`)
  return category
}
