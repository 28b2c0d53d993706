import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { Context } from '../context'
import { ok } from './reply'

/** After a restore the rows are older than the books of rooms: they are made anew when they are next asked for. */
export async function forgetRooms({ rooms }: Context): Promise<Reply> {
  return ok(200, { rooms: await rooms.forgetAll() })
}
