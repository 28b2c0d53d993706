import { type Refusal, RefusalError } from '@worlds/domain/errors'
import type { Refusal as WireRefusal } from '@worlds/proto/generated/worlds/common/v1/Refusal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import { UnavailableError } from '@worlds/runtime/operation'
import { orRefusal } from '@worlds/runtime/refusals'
import { AskAgain } from '../sight'

interface NoAnswer {
  refusal?: WireRefusal
  ask_again?: true
}

/** Runs one request; a refusal that was thrown on the way, or a stale principal, becomes the reply. */
export async function answer<R>(work: Promise<R>): Promise<R | NoAnswer> {
  try {
    return await orRefusal(() => work)
  } catch (error) {
    if (error instanceof AskAgain) return { ask_again: true }
    throw error
  }
}

export function ok(status: number, body: unknown): Reply {
  return { status, body: Buffer.from(JSON.stringify(body)) }
}

export const noContent: Reply = { status: 204, body: Buffer.alloc(0) }

export function refuse(refusal: Refusal): never {
  throw new RefusalError(refusal)
}

/** What cannot be counted now is worth another try. */
export async function counted<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw new UnavailableError('tickets cannot be counted', { cause: error })
  }
}
