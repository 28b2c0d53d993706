import { invalid, RefusalError, unknownKey, viewAsOwnerOnly } from '@worlds/domain/errors'
import { readUuid } from '@worlds/domain/uuid'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import { ownerReader, publicReader, type Reader } from '@worlds/views/reader'
import type { Standing } from '../store/read-element'
import type { Scope } from './scope'

/**
 * Reads as the caller, or as whom its `as` names (L339 to L346). A membership that is not active
 * reads nothing: its keys are on their way out. `read` may run again when its reader has changed.
 */
export async function readAs<T extends Standing>(
  { readers }: Pick<Scope, 'readers'>,
  { world_id: worldId, membership }: Principal__Output,
  as: string,
  read: (reader: Reader) => Promise<T>,
): Promise<T> {
  if (as !== '' && membership !== '') throw new RefusalError(viewAsOwnerOnly())
  if (as === 'public') return read(publicReader)
  if (as !== '') return readAsNamed(readers, worldId, as, read)
  if (membership === '') return read(ownerReader)
  const found = await readers.asMember(worldId, membership, read)
  if (found === null) throw new RefusalError(unknownKey())
  return found
}

async function readAsNamed<T extends Standing>(
  readers: Scope['readers'],
  worldId: string,
  as: string,
  read: (reader: Reader) => Promise<T>,
): Promise<T> {
  const id = readUuid(as)
  const reader = id === null ? null : await readers.find(worldId, id)
  const found = reader?.member
    ? await readers.asMember(worldId, reader.member.id, read)
    : reader && (await read(reader))
  if (found !== null) return found
  throw new RefusalError(invalid('as', 'as takes a membership, a Character of this world, or public.'))
}
