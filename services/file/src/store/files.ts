import { type Row, type Statement, type Transaction, toInteger, toTimestamp } from '@worlds/runtime/postgres'
import { fileKey } from '@worlds/storage/object-keys'

/** A file as its ticket was issued for it. */
export interface NewFile {
  readonly worldId: string
  readonly id: string
  readonly elementId: string
  readonly elementType: string
  readonly birth: number
  readonly kind: string
  readonly name: string
  readonly label: string | null
  readonly accountId: string
  /** Null for the owner's keys. */
  readonly membership: string | null
  readonly agent: boolean
  readonly agentName: string
}

export interface ListedFile extends NewFile {
  readonly size: number
  readonly addedAt: string
}

const insert: Statement = {
  name: 'reserve-file',
  text: `
    insert into file.files (
      world_id, id, element_id, element_type, birth, kind, name, label, account_id, membership, agent, agent_name,
      settle_at)
    values ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::bigint, $6::text, $7::text, $8::text, $9::uuid, $10::uuid,
      $11::boolean, $12::text, clock_timestamp() + $13::bigint * interval '1 millisecond')`,
}

/** `settleInMs` from now on nobody can still be uploading it. */
export async function reserveFile(tx: Transaction, file: NewFile, settleInMs: number): Promise<void> {
  const { worldId, id, elementId, elementType, birth, kind, name, label } = file
  const { accountId, membership, agent, agentName } = file
  const adder = [accountId, membership, agent, agentName]
  await tx.rows(insert, [worldId, id, elementId, elementType, birth, kind, name, label, ...adder, settleInMs])
}

const columns = `f.world_id, f.id, f.element_id, f.element_type, f.birth, f.kind, f.name, f.label, f.account_id,
      f.membership, f.agent, f.agent_name, f.size, f.added_at`

const ofElement: Statement = {
  name: 'list-files',
  text: `
    select ${columns}
    from file.files f -- files_of_element
    where f.world_id = $1::uuid and f.element_id = $2::uuid and f.birth = $3::bigint and f.state = 'listed'
    order by f.added_at desc, f.id desc`,
}

/** Files of the element that was born at a place, newest first. */
export async function listFiles(
  db: Transaction,
  worldId: string,
  elementId: string,
  birth: number,
): Promise<ListedFile[]> {
  return (await db.rows(ofElement, [worldId, elementId, birth])).map(toFile)
}

const ofWorld: Statement = {
  name: 'list-world-files',
  text: `
    select ${columns}
    from file.files f -- files_of_world
    where f.world_id = $1::uuid and f.state = 'listed'
    order by f.added_at desc, f.id desc`,
}

export async function listWorldFiles(db: Transaction, worldId: string): Promise<ListedFile[]> {
  return (await db.rows(ofWorld, [worldId])).map(toFile)
}

const one: Statement = {
  name: 'read-file',
  text: `
    select ${columns}
    from file.files f -- files_pkey
    where f.world_id = $1::uuid and f.id = $2::uuid and f.state = 'listed'`,
}

export async function readFile(db: Transaction, worldId: string, id: string): Promise<ListedFile | null> {
  const [row] = await db.rows(one, [worldId, id])
  return row === undefined ? null : toFile(row)
}

const used: Statement = {
  name: 'read-used-bytes',
  text: 'select w.used_bytes from file.worlds w where w.world_id = $1::uuid',
}

export async function readUsedBytes(db: Transaction, worldId: string): Promise<number> {
  const [row] = await db.rows(used, [worldId])
  return row === undefined ? 0 : toInteger(row[0])
}

export function keyOf({
  worldId,
  elementId,
  id,
  kind,
}: Pick<NewFile, 'worldId' | 'elementId' | 'id' | 'kind'>): string {
  return fileKey(worldId, elementId, id, kind)
}

function toFile(row: Row): ListedFile {
  const [worldId, id, elementId, elementType, birth, kind, name, label] = row
  const [, , , , , , , , accountId, membership, agent, agentName, size, addedAt] = row
  return {
    worldId: String(worldId),
    id: String(id),
    elementId: String(elementId),
    elementType: String(elementType),
    birth: toInteger(birth),
    kind: String(kind),
    name: String(name),
    label: label ?? null,
    accountId: String(accountId),
    membership: membership ?? null,
    agent: agent === 't',
    agentName: String(agentName),
    size: toInteger(size),
    addedAt: toTimestamp(String(addedAt)),
  }
}
