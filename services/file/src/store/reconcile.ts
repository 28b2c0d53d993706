/** Reads rows in the order of their keys, for a comparison with what is stored. */
import { type Statement, type Transaction, toInteger } from '@worlds/runtime/postgres'
import { fileKey } from '@worlds/storage/object-keys'

export interface ListedRow {
  readonly worldId: string
  readonly id: string
  readonly key: string
  readonly bytes: number
}

export interface FileRow extends ListedRow {
  readonly elementId: string
  readonly birth: number
}

const files: Statement = {
  name: 'page-of-files',
  text: `
    select f.world_id, f.id, f.element_id, f.kind, f.size, f.birth
    from file.files f -- files_pkey
    where f.state = 'listed' and (f.world_id, f.id) > ($1::uuid, $2::uuid)
    order by f.world_id, f.id
    limit $3::integer`,
}

export async function pageOfFiles(
  db: Transaction,
  after: readonly [worldId: string, id: string],
  limit: number,
): Promise<FileRow[]> {
  return (await db.rows(files, [...after, limit])).map(([world, id, element, kind, size, birth]) => ({
    worldId: String(world),
    id: String(id),
    key: fileKey(String(world), String(element), String(id), String(kind)),
    bytes: toInteger(size),
    elementId: String(element),
    birth: toInteger(birth),
  }))
}

const images: Statement = {
  name: 'page-of-images',
  text: `
    select i.world_id, i.id, i.key, i.bytes
    from file.images i -- images_pkey
    where i.state = 'listed' and (i.world_id, i.id) > ($1::uuid, $2::uuid)
    order by i.world_id, i.id
    limit $3::integer`,
}

export async function pageOfImages(
  db: Transaction,
  after: readonly [worldId: string, id: string],
  limit: number,
): Promise<ListedRow[]> {
  return (await db.rows(images, [...after, limit])).map(([world, id, key, bytes]) => ({
    worldId: String(world),
    id: String(id),
    key: String(key),
    bytes: toInteger(bytes),
  }))
}
