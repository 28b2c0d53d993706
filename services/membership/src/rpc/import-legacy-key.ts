import { invalid, noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { ImportLegacyKeyRequest__Output as ImportLegacyKeyRequest } from '@worlds/proto/generated/worlds/membership/v1/ImportLegacyKeyRequest'
import { digest, digests } from '@worlds/runtime/secrets'
import { uuidv7 } from 'uuidv7'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { last4, legacyScope, readLegacyKey } from '../domain/keys'
import { findKeyWorld } from '../store/key-holders'
import { insertKey } from '../store/keys'
import { type OwnedWorld, readOpenWorld } from '../store/worlds'
import { created, ok } from './reply'

/** Importing a key again into its world changes nothing. */
export async function importLegacyKey(context: Context, request: ImportLegacyKeyRequest): Promise<Reply> {
  const key = readLegacyKey(request.key)
  const world = await readOpenWorld(context.db, readId(request.world_id, noSuch('world')))
  if (world === undefined) throw new RefusalError(noSuch('world'))
  const body = { world: world.id, last4: last4(key) }
  // Looked up by every honoured pepper first: `on conflict` sees the current one alone.
  const known = await findKeyWorld(context.db, digests(context.peppers, key))
  if (known === undefined && (await insertLegacyKey(context, world, key, request.read_only))) return created(body)
  const holder = known ?? (await findKeyWorld(context.db, digests(context.peppers, key)))
  if (holder !== world.id) throw new RefusalError(invalid('key', 'This key belongs to another world.'))
  return ok(body)
}

async function insertLegacyKey(context: Context, world: OwnedWorld, key: string, readOnly: boolean): Promise<boolean> {
  const inserted = await insertKey(context.db, {
    id: uuidv7(),
    worldId: world.id,
    accountId: world.ownerAccount,
    name: '',
    digest: digest(context.peppers, key),
    last4: last4(key),
    scope: legacyScope(key, readOnly),
    legacy: true,
    membership: null,
  })
  return inserted !== undefined
}
