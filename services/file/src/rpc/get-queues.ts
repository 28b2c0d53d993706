import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import { readQueues } from '@worlds/runtime/queues'
import type { Context } from '../context'
import { ok } from './reply'

/** How many given-up jobs of a queue are shown. */
const shown = 20

export async function getQueues({ config }: Context): Promise<Reply> {
  return ok(200, { queues: await readQueues(config.redisUrl, config.redisPrefix, shown) })
}
