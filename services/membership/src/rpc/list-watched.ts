import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { watchedRow } from '../domain/records'
import { keepWorldNames, listWatched as readWatched } from '../store/watched'
import { ok } from './reply'

/** While a key works its world shows its name of now, which is kept for the time when the key will not. */
export async function listWatched(context: Context, request: AccountRequest): Promise<Reply> {
  const watched = await readWatched(context.db, request.account_id)
  const live = watched.filter(({ stale }) => !stale)
  const facts = await context.roll.describeWorlds([...new Set(live.map(({ worldId }) => worldId))])
  const renamed = new Map<string, string>()
  for (const { id, worldId, worldName } of live) {
    const name = facts.get(worldId)?.name ?? worldName
    if (name !== worldName) renamed.set(id, name)
  }
  await keepWorldNames(context.db, renamed)
  return ok({ data: watched.map((row) => watchedRow({ ...row, worldName: renamed.get(row.id) ?? row.worldName })) })
}
