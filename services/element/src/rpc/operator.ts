/** What the operator's command line asks for. */
import type { MarkRestoredReply } from '@worlds/proto/generated/worlds/element/v1/MarkRestoredReply'
import type { MarkRestoredRequest__Output } from '@worlds/proto/generated/worlds/element/v1/MarkRestoredRequest'
import * as restored from '../store/restored'
import type { Scope } from './scope'

const nobody = '00000000-0000-0000-0000-000000000000'

/** Some worlds at a time: `last` is empty once there are no more. */
export const markRestored =
  ({ database, idempotency }: Scope) =>
  async ({ world_id, after }: MarkRestoredRequest__Output): Promise<MarkRestoredReply> => {
    const only = world_id === '' ? null : world_id
    const marked = await restored.markRestored(database, after === '' ? nobody : after, only)
    // Replies to writes that the restore has undone must not be given again.
    if (after === '') await idempotency.forget(only)
    const isEnd = only !== null || marked.length < restored.atOnce
    return { worlds: marked.length, last: isEnd ? '' : (marked.at(-1) ?? '') }
  }
