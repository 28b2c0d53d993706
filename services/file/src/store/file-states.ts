/** What becomes of a file's row. Everything here is called under the world's lock. */
import { type Row, type Statement, type Transaction, toInteger } from '@worlds/runtime/postgres'
import { fileKey } from '@worlds/storage/object-keys'

export interface FileState {
  readonly worldId: string
  readonly id: string
  readonly key: string
  readonly state: 'reserved' | 'listed' | 'removed' | 'void'
}

const read: Statement = {
  name: 'read-file-state',
  text: `
    select f.world_id, f.id, f.element_id, f.kind, f.state
    from file.files f -- files_pkey
    where f.world_id = $1::uuid and f.id = $2::uuid`,
}

export async function readFileState(db: Transaction, worldId: string, id: string): Promise<FileState | null> {
  const [row] = await db.rows(read, [worldId, id])
  return row === undefined ? null : toState(row)
}

const remove: Statement = {
  name: 'remove-file',
  text: `
    update file.files f set state = 'removed'
    where f.world_id = $1::uuid and f.id = $2::uuid and f.state = 'listed'
    returning f.size`,
}

/** What it took; null when it is not listed. */
export async function markRemoved(tx: Transaction, worldId: string, id: string): Promise<number | null> {
  const [row] = await tx.rows(remove, [worldId, id])
  return row === undefined ? null : toInteger(row[0])
}

const give: Statement = {
  name: 'give-up-file',
  text: `
    update file.files f set state = 'void'
    where f.world_id = $1::uuid and f.id = $2::uuid and f.state = 'reserved'
    returning 1`,
}

/** False when it was settled otherwise meanwhile. */
export async function markVoid(tx: Transaction, worldId: string, id: string): Promise<boolean> {
  return (await tx.rows(give, [worldId, id])).length > 0
}

const removeBorn: Statement = {
  name: 'remove-files-of-elements',
  text: `
    update file.files f set state = 'removed'
    from unnest($2::uuid[], $3::bigint[]) as d (id, place)
    where f.world_id = $1::uuid and f.element_id = d.id and f.birth < d.place and f.state = 'listed'
    returning f.id, f.element_id, f.kind, f.size`,
}

const removeAny: Statement = {
  name: 'remove-files-of-world',
  text: `
    update file.files f set state = 'removed'
    where f.world_id = $1::uuid and f.state = 'listed' and f.id in (
      select o.id from file.files o where o.world_id = $1::uuid and o.state = 'listed' limit 1000)
    returning f.id, f.element_id, f.kind, f.size`,
}

export interface RemovedFile {
  readonly id: string
  readonly key: string
  readonly size: number
}

/** Files of elements that were deleted, each at its place: of those born before it. */
export async function removeOfElements(
  tx: Transaction,
  worldId: string,
  elements: readonly { readonly id: string; readonly place: number }[],
): Promise<RemovedFile[]> {
  const places = [elements.map(({ id }) => id), elements.map(({ place }) => place)]
  return (await tx.rows(removeBorn, [worldId, ...places])).map((row) => toRemoved(worldId, row))
}

/** Some of the world's files; none when all are removed. */
export async function removeOfWorld(tx: Transaction, worldId: string): Promise<RemovedFile[]> {
  return (await tx.rows(removeAny, [worldId])).map((row) => toRemoved(worldId, row))
}

const open: Statement = {
  name: 'open-files',
  text: `
    select f.world_id, f.id, f.element_id, f.kind, f.state
    from file.files f -- files_open
    where f.world_id = $1::uuid and f.state = 'reserved'`,
}

export async function listOpen(tx: Transaction, worldId: string): Promise<FileState[]> {
  return (await tx.rows(open, [worldId])).map(toState)
}

const sizes: Statement = {
  name: 'sizes-of-files',
  text: `
    select f.id, f.size
    from file.files f -- files_of_world
    where f.world_id = $1::uuid and f.state = 'listed'
    union all
    select f.id, 0
    from file.files f -- files_issued
    where f.world_id = $1::uuid and f.state = 'removed'
      and f.issued_at > clock_timestamp() - $2::bigint * interval '1 millisecond'`,
}

/** Listed files; and those that are removed already but whose tickets may still live, so that none is used again. */
export async function listSizes(
  tx: Transaction,
  worldId: string,
  lifeMs: number,
): Promise<{ id: string; bytes: number }[]> {
  return (await tx.rows(sizes, [worldId, lifeMs])).map(([id, size]) => ({ id: String(id), bytes: toInteger(size) }))
}

/** Takes rows that are due to be settled, for `leaseMs`. */
const due: Statement = {
  name: 'claim-due-files',
  text: `
    with due as materialized (
      select f.world_id, f.id
      from file.files f -- files_to_settle
      where f.state = 'reserved' and f.settle_at <= clock_timestamp()
      order by f.settle_at
      limit $1::integer
      for update skip locked
    )
    update file.files f set settle_at = clock_timestamp() + $2::integer * interval '1 millisecond'
    from due
    where f.world_id = due.world_id and f.id = due.id
    returning f.world_id, f.id, f.element_id, f.kind, f.state`,
}

export async function claimDueFiles(db: Transaction, limit: number, leaseMs: number): Promise<FileState[]> {
  return (await db.rows(due, [limit, leaseMs])).map(toState)
}

const old: Statement = {
  name: 'old-files',
  text: `
    select f.world_id, f.id, f.element_id, f.kind, f.state
    from file.files f -- files_to_forget
    where f.state in ('removed', 'void') and f.issued_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
    order by f.issued_at
    limit $2::integer`,
}

/** Rows without bytes that have been kept long enough. */
export async function listOldFiles(db: Transaction, olderMs: number, limit: number): Promise<FileState[]> {
  return (await db.rows(old, [olderMs, limit])).map(toState)
}

const forget: Statement = {
  name: 'forget-file',
  text: `
    delete from file.files f
    where f.world_id = $1::uuid and f.id = $2::uuid and f.state in ('removed', 'void') and not exists (
      select 1 from file.doomed d where d.world_id = f.world_id and d.id = f.id)`,
}

export async function forgetFile(db: Transaction, worldId: string, id: string): Promise<void> {
  await db.rows(forget, [worldId, id])
}

function toState([worldId, id, elementId, kind, state]: Row): FileState {
  return {
    worldId: String(worldId),
    id: String(id),
    key: fileKey(String(worldId), String(elementId), String(id), String(kind)),
    state: state as FileState['state'],
  }
}

function toRemoved(worldId: string, [id, elementId, kind, size]: Row): RemovedFile {
  return {
    id: String(id),
    key: fileKey(worldId, String(elementId), String(id), String(kind)),
    size: toInteger(size),
  }
}
