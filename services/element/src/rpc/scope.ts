import { type Category, categories } from '@worlds/domain/registry'
import type { ByteBudget } from '@worlds/runtime/byte-budget'
import type { Database } from '@worlds/runtime/postgres'
import type { PageSizes } from '@worlds/views/page-size'
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
  /** Bytes that large replies, and what is read for them, take of the process at once. */
  readonly memory: ByteBudget
  readonly pageSizes: PageSizes
  readonly submit: (worldId: string, write: Write) => Promise<Answer>
}

/** The gateway asks only for categories that exist. */
export function categoryOf(type: string): Category {
  const category = categories.get(type)
  if (category === undefined) throw new Error(`no such category: ${type}`)
  return category
}
