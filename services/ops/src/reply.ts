import type { Refusal__Output } from '@worlds/proto/generated/worlds/common/v1/Refusal'
import type { Reply__Output } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { CallSettings } from '@worlds/runtime/rpc-client'

export type Reply = Reply__Output

export const oneTry: CallSettings = { deadlineMs: 60_000, affinity: '', repeatable: false }

export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  constructor(readonly refusal: Refusal__Output) {
    super(`${refusal.code}: ${refusal.message}${refusal.param ? ` (${refusal.param})` : ''}`)
  }
}

/** The parsed body of a reply; throws what refused it. */
export function accepted<T>(reply: Reply): T {
  if (reply.refusal) throw new RefusedError(reply.refusal)
  if (reply.ask_again) throw new Error('the world changed hands meanwhile: try again')
  const text = reply.body?.toString() ?? ''
  return (text === '' ? null : JSON.parse(text)) as T
}
