/**
 * Compares rows with their elements and with objects, a page at a time, and repairs what differs on request: a row whose
 * bytes are gone is removed, and bytes that no row owns are deleted. A bucket that does not answer, or that lacks more
 * objects than the operator has accepted, ends the comparison before any row is removed for it.
 */
import { readUuid } from '@worlds/domain/uuid'
import type { ReconcileReply } from '@worlds/proto/generated/worlds/file/v1/ReconcileReply'
import type { ReconcileRequest__Output } from '@worlds/proto/generated/worlds/file/v1/ReconcileRequest'
import type { ListedObject, ObjectStore } from '@worlds/storage/object-store'
import type { Context } from './context'
import { findOrphans } from './reconcile-owners'
import { deleteBytesNow } from './settle/bytes'
import { removeListed } from './settle/deletions'
import { settleRemoval } from './settle/settle-image'
import { readFileState } from './store/file-states'
import { beginning, findImage, readImage } from './store/images'
import { type FileRow, type ListedRow, pageOfFiles, pageOfImages } from './store/reconcile'

const page = 200

interface Found {
  rows: number
  objects: number
  orphaned: number
  missing: number
  stray: number
  repaired: number
  stopped: '' | 'bucket_unavailable' | 'missing_limit'
  readonly examples: string[]
}

export async function reconcile(context: Context, request: ReconcileRequest__Output): Promise<ReconcileReply> {
  const { objects } = context
  if (objects === null) throw new Error('no object store is configured')
  const counts = { rows: 0, objects: 0, orphaned: 0, missing: 0, stray: 0, repaired: 0 }
  const found: Found = { ...counts, stopped: '', examples: [] }
  if (!(await bucketAnswers(context, objects))) return { ...found, cursor: '', stopped: 'bucket_unavailable' }
  const [phase = '', ...rest] = (request.cursor || 'owners:').split(':')
  const after = rest.join(':')
  const next = await pageOf(context, objects, phase, after, request, found)
  return { ...found, cursor: found.stopped === '' ? (next ?? '') : '' }
}

async function bucketAnswers({ log }: Context, objects: ObjectStore): Promise<boolean> {
  try {
    await objects.checkBucket()
    return true
  } catch (error) {
    log.warn({ err: error }, 'the bucket does not answer')
    return false
  }
}

/** The phases follow one another: owners of files, rows of files, of images, objects of files, of images. */
async function pageOf(
  context: Context,
  objects: ObjectStore,
  phase: string,
  after: string,
  request: ReconcileRequest__Output,
  found: Found,
): Promise<string | null> {
  const { repair } = request
  const [worldId = beginning.worldId, id = beginning.id] = after === '' ? [] : after.split('/')
  if (phase === 'owners') {
    const rows = await pageOfFiles(context.db, [worldId, id], page)
    await compareOwners(context, rows, repair, found)
    const last = rows.at(-1)
    return last === undefined ? 'files:' : `${phase}:${last.worldId}/${last.id}`
  }
  if (phase === 'files' || phase === 'images') {
    const rows = await (phase === 'files' ? pageOfFiles : pageOfImages)(context.db, [worldId, id], page)
    await compareRows(context, objects, phase, rows, request, found)
    const last = rows.at(-1)
    if (last !== undefined) return `${phase}:${last.worldId}/${last.id}`
    return phase === 'files' ? 'images:' : 'stored-files:'
  }
  const prefix = phase === 'stored-files' ? 'w/' : 'u/'
  const stored = await objects.list(prefix, after, page)
  for (const object of stored) await compareObject(context, phase, object, repair, found)
  const last = stored.at(-1)
  if (last !== undefined) return `${phase}:${last.key}`
  return phase === 'stored-files' ? 'stored-images:' : null
}

async function compareOwners(context: Context, rows: readonly FileRow[], repair: boolean, found: Found): Promise<void> {
  for (const orphans of await findOrphans(context, rows)) {
    found.orphaned += orphans.rows.length
    for (const { worldId, id } of orphans.rows) note(found, `orphaned ${worldId}/${id}`)
    if (!repair || orphans.repair === null) continue
    await orphans.repair()
    found.repaired += orphans.rows.length
  }
}

async function compareRows(
  context: Context,
  objects: ObjectStore,
  phase: 'files' | 'images',
  rows: readonly ListedRow[],
  { repair, missing_limit: limit }: ReconcileRequest__Output,
  found: Found,
): Promise<void> {
  const missing: ListedRow[] = []
  for (const row of rows) if ((await objects.head(row.key)) === null) missing.push(row)
  found.rows += rows.length
  found.missing += missing.length
  for (const { key } of missing) note(found, `missing ${key}`)
  if (!repair || missing.length === 0) return
  if (missing.length > limit) found.stopped = 'missing_limit'
  // The bucket may have been removed since the page began.
  else if (!(await bucketAnswers(context, objects))) found.stopped = 'bucket_unavailable'
  if (found.stopped !== '') return
  for (const row of missing) {
    if (phase === 'images') await settleRemoval(context, row.worldId, row.key)
    else await deleteBytesNow(context, (await removeListed(context, row.worldId, row)) ?? [])
    found.repaired += 1
  }
}

async function compareObject(
  context: Context,
  phase: string,
  object: ListedObject,
  repair: boolean,
  found: Found,
): Promise<void> {
  found.objects += 1
  const owner = await (phase === 'stored-files' ? ownerOfFile(context, object) : ownerOfImage(context, object))
  if (owner === 'listed') return
  // What a ticket may still claim is on its way: the rounds settle it when its time is over.
  if (owner !== 'none') return
  found.stray += 1
  note(found, `stray ${object.key}`)
  if (!repair) return
  await context.objects?.remove(object.key)
  found.repaired += 1
}

type Owner = 'listed' | 'none' | 'open'

async function ownerOfFile({ db }: Context, { key }: ListedObject): Promise<Owner> {
  const [, world, , last = ''] = key.split('/')
  const [worldId, id] = [readUuid(world), readUuid(last.slice(0, last.lastIndexOf('.')))]
  const file = worldId === null || id === null ? null : await readFileState(db, worldId, id)
  if (file === null || file.key !== key) return 'none'
  return ownerIn(file.state)
}

async function ownerOfImage({ db, objects }: Context, { key }: ListedObject): Promise<Owner> {
  const worldId = readUuid(key.split('/')[1])
  if (worldId === null) return 'none'
  if ((await findImage(db, worldId, key))?.state === 'listed') return 'listed'
  const id = readUuid((await objects?.head(key))?.metadata.ticket)
  const image = id === null ? null : await readImage(db, worldId, id)
  return image === null || image.key !== null ? 'none' : ownerIn(image.state)
}

function ownerIn(state: string): Owner {
  if (state === 'listed') return 'listed'
  return state === 'reserved' ? 'open' : 'none'
}

function note({ examples }: Found, line: string): void {
  if (examples.length < 20) examples.push(line)
}
