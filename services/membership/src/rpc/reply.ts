import { RefusalError } from '@worlds/domain/errors'
import type { Refusal as WireRefusal } from '@worlds/proto/generated/worlds/common/v1/Refusal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import { toWire } from '@worlds/runtime/refusals'

/** Any answer that may be a refusal instead. */
export interface Refusable {
  refusal?: WireRefusal | null
}

export function ok(value: object): Reply {
  return { body: toJson(value), status: 200 }
}

export function created(value: object): Reply {
  return { body: toJson(value), status: 201 }
}

export function accepted(): Reply {
  return { body: toJson({}), status: 202 }
}

export function noContent(): Reply {
  return { body: Buffer.alloc(0), status: 204 }
}

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** The one place where a refusal that was thrown becomes an answer. */
export async function answer<R extends Refusable>(work: Promise<R>): Promise<R | Refusable> {
  try {
    return await work
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: toWire(error.refusal) }
    throw error
  }
}
