/** One file of an element, for whoever sees that. */

import { setTimeout as sleep } from 'node:timers/promises'
import { noSuch, notAdder } from '@worlds/domain/errors'
import { malformedId, readUuid } from '@worlds/domain/uuid'
import type { Principal__Output as Principal } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { FileRequest__Output } from '@worlds/proto/generated/worlds/file/v1/FileRequest'
import { principalOf } from '@worlds/runtime/refusals'
import type { Context } from '../context'
import { deleteBytesNow } from '../settle/bytes'
import { removeListed } from '../settle/deletions'
import { keyOf, type ListedFile, readFile } from '../store/files'
import { noContent, ok, refuse } from './reply'

/** How long a removal waits for the bytes to go. */
const patienceMs = 2_000

export async function getDownload(context: Context, request: FileRequest__Output): Promise<Reply> {
  const file = await findFile(context, request)
  const { url, exp } = context.links.make(keyOf(file), file.name)
  return ok(200, { url, exp, name: file.name, kind: file.kind, size: file.size })
}

/** The row goes with the order to delete the bytes; the bytes at once, or as soon as the store can. */
export async function removeFile(context: Context, request: FileRequest__Output): Promise<Reply> {
  const file = await findFile(context, request)
  if (!mayRemove(principalOf(request), file)) refuse(notAdder())
  const doomed = await removeListed(context, file.worldId, { id: file.id, key: keyOf(file) })
  if (doomed === null) return refuse(noSuch('file'))
  // Mostly they are gone by then; a store that takes its time keeps nobody waiting.
  await Promise.race([deleteBytesNow(context, doomed), sleep(patienceMs, undefined, { ref: false })])
  return noContent
}

/** An element that was made again under its id has none of the files of the one before. */
export async function findFile({ sight, db }: Context, request: FileRequest__Output): Promise<ListedFile> {
  const principal = principalOf(request)
  const id = readUuid(request.file_id)
  if (id === null) return refuse(malformedId('file_id'))
  const element = await sight.find(principal, request.type, request.id)
  const file = await readFile(db, principal.world_id, id)
  const isOfElement = file !== null && file.elementId === element.id && file.birth === element.birth
  return isOfElement ? file : refuse(noSuch('file'))
}

/**
 * The owner's keys, whoever added it, and every key of the account that did; a seat's account is its sponsor's (A71,
 * D10), also when that has changed since.
 */
function mayRemove({ membership, account }: Principal, file: ListedFile): boolean {
  return membership === '' || membership === file.membership || account === file.accountId
}
