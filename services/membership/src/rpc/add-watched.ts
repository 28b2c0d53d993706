import { invalid, noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import { digests } from '@worlds/runtime/secrets'
import { uuidv7 } from 'uuidv7'
import type { Context } from '../context'
import { type Reader, readBody } from '../domain/body'
import { watchedRow } from '../domain/records'
import { findLiveReadKey, insertWatched, keepWorldNames, readWatched } from '../store/watched'
import { created, ok } from './reply'

const noReadKey = () => new RefusalError(invalid('key', 'key must be a read key (ow_r_…) that works.'))

const readKey: Reader<string> = (value) => {
  if (typeof value === 'string' && value.length <= 255 && value.startsWith('ow_r_')) return value
  throw noReadKey()
}

/** The key is data here, not a credential: an unknown one counts against nobody (D32). */
export async function addWatched(context: Context, request: AccountRequest): Promise<Reply> {
  const sent = readBody(request.body, { key: readKey }).key
  const key = sent === undefined ? undefined : await findLiveReadKey(context.db, digests(context.peppers, sent))
  if (key === undefined) throw noReadKey()
  const world = (await context.roll.describeWorlds([key.worldId])).get(key.worldId)
  if (world === undefined) throw noReadKey()

  const accountId = request.account_id
  const added = await insertWatched(context.db, { id: uuidv7(), accountId, key, worldName: world.name })
  const watched = await readWatched(context.db, accountId, key.id)
  if (watched === undefined) throw new RefusalError(noSuch('account'))
  const row = watchedRow({ ...watched, worldName: world.name })
  if (added) return created(row)
  await keepWorldNames(context.db, new Map([[watched.id, world.name]]))
  return ok(row)
}
