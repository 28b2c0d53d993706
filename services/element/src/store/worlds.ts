import { type Database, nameByText, type Row, toInteger, toTimestamp } from '@worlds/runtime/postgres'
import { type Reader, readerSql } from '@worlds/views/reader'
import { seenSql } from '@worlds/views/view-sql'
import type { WorldRecord } from '../domain/facts'
import type { Standing } from './read-element'
import { readRecord, recordSql } from './world-record'

export interface FoundWorld extends Standing {
  readonly record: WorldRecord | null
}

/** The record as the reader is shown it: a Character that it does not see is nobody (L318). */
export async function readWorld(database: Database, worldId: string, reader: Reader): Promise<FoundWorld> {
  const values: unknown[] = [worldId]
  const param = (value: unknown) => `$${values.push(value)}`
  const text = `
        select h.auth_version, w.created_at, w.updated_at, ${recordSql}, ${seenSql(reader.view, 'w.owner_character', param)}
        from element.world_heads h
        join element.worlds w on w.world_id = h.world_id
        where h.world_id = $1::uuid and not h.closed ${readerSql(reader, param)}`
  const [row] = await database.rows(nameByText(text), values)
  if (row === undefined) return { authVersion: null, record: null }
  const [authVersion, createdAt, updatedAt, fields, ownerCharacter = null] = row
  return {
    authVersion: toInteger(authVersion),
    record: { ...readRecord(fields, createdAt, updatedAt), owner_character: ownerCharacter },
  }
}

export interface Summary {
  readonly world_id: string
  readonly name: string
  readonly public_read: boolean
  readonly created_at: string
  readonly updated_at: string
  readonly description: string
}

const summary = 'w.world_id, w.name, w.public_read, w.created_at, w.updated_at, w.description'

/**
 * Makes the world with its head row and its owner's row; a world that stands already stays as it is. The head row
 * decides: it outlives a deleted world, so that an errand which comes late does not open that again.
 */
export async function openWorld(database: Database, worldId: string, name: string): Promise<void> {
  await database.rows(
    {
      name: 'open-world',
      text: `
        with head as (
          insert into element.world_heads (world_id, last_write_at)
          values ($1::uuid, now())
          on conflict do nothing
          returning world_id
        ), world as (
          insert into element.worlds (world_id, name, created_at, updated_at)
          select h.world_id, $2::text, now(), now() from head h
        )
        insert into element.members (world_id, member_id, kind, role, joined_at)
        select h.world_id, h.world_id, 'owner', 'owner', now() from head h`,
    },
    [worldId, name],
  )
}

/**
 * Changes what the account routes may change and moves the auth version; null leaves a field as it
 * is. The head row is locked first, as every commit does, so that `updated_at` never goes back.
 */
export async function updateWorld(
  database: Database,
  worldId: string,
  name: string | null,
  publicRead: boolean | null,
): Promise<Summary | null> {
  return database.transaction(async (tx) => {
    const heads = await tx.rows(
      {
        name: 'touch-head',
        text: `
          update element.world_heads h
          set auth_version = h.auth_version + 1, view_version = h.view_version + 1,
              last_write_at = greatest(clock_timestamp(), h.last_write_at + interval '1 microsecond')
          where h.world_id = $1::uuid and not h.closed
          returning h.last_write_at`,
      },
      [worldId],
    )
    const [head] = heads
    if (head === undefined) return null
    const [row] = await tx.rows(
      {
        name: 'update-world',
        text: `
          update element.worlds w
          set name = coalesce($2::text, w.name), public_read = coalesce($3::boolean, w.public_read),
              updated_at = $4::timestamptz
          where w.world_id = $1::uuid
          returning ${summary}`,
      },
      [worldId, name, publicRead, head[0]],
    )
    return row === undefined ? null : toSummary(row)
  })
}

/** No commit and no read goes through any longer; that it is so is told once. */
export async function closeWorld(database: Database, worldId: string): Promise<void> {
  await database.rows(
    {
      name: 'close-world',
      text: `
        with head as (
          update element.world_heads h set closed = true, auth_version = h.auth_version + 1
          where h.world_id = $1::uuid and not h.closed
          returning h.world_id
        )
        insert into element.outbox (world_id, kind, payload)
        select h.world_id, 'world', '{}' from head h`,
    },
    [worldId],
  )
}

export async function describeWorlds(database: Database, worldIds: readonly string[]): Promise<Summary[]> {
  const rows = await database.rows(
    {
      name: 'describe-worlds',
      text: `
        select ${summary} from element.worlds w
        join element.world_heads h on h.world_id = w.world_id
        where w.world_id = any ($1::uuid[]) and not h.closed`,
    },
    [worldIds],
  )
  return rows.map(toSummary)
}

export async function raiseAuthVersions(database: Database, worldIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.rows(
    {
      name: 'raise-auth-versions',
      text: `
        with world as (
          select h.world_id from element.world_heads h
          where h.world_id = any ($1::uuid[]) order by h.world_id for update
        )
        update element.world_heads h set auth_version = h.auth_version + 1
        from world w where h.world_id = w.world_id and not h.closed
        returning h.world_id, h.auth_version`,
    },
    [worldIds],
  )
  return toVersions(rows)
}

export async function readAuthVersions(database: Database, worldIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.rows(
    {
      name: 'read-auth-versions',
      text: `
        select h.world_id, h.auth_version from element.world_heads h
        where h.world_id = any ($1::uuid[]) and not h.closed`,
    },
    [worldIds],
  )
  return toVersions(rows)
}

function toVersions(rows: readonly Row[]): Map<string, number> {
  return new Map(rows.map(([worldId, version]) => [String(worldId), toInteger(version)]))
}

function toSummary([worldId, name, publicRead, createdAt, updatedAt, description]: Row): Summary {
  return {
    world_id: String(worldId),
    name: String(name),
    public_read: publicRead === 't',
    created_at: toTimestamp(String(createdAt)),
    updated_at: toTimestamp(String(updatedAt)),
    description: String(description),
  }
}
