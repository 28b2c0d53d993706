import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { GetQueuesRequest__Output } from '@worlds/proto/generated/worlds/file/v1/GetQueuesRequest'
import { readQueues, retryQueues } from '@worlds/runtime/queue-reports'
import type { Context } from '../context'
import { ok } from './reply'

/** How many given-up jobs of a queue are shown. */
const shown = 20

export async function getQueues({ config }: Context, { retry }: GetQueuesRequest__Output): Promise<Reply> {
  if (retry) await retryQueues(config.redisUrl, config.redisPrefix)
  return ok(200, { queues: await readQueues(config.redisUrl, config.redisPrefix, shown) })
}
