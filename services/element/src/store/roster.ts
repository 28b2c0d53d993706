import { type Database, nameByText, type Row, toInteger, toTimestamp } from '@worlds/runtime/postgres'
import { type Reader, readerSql } from '@worlds/views/reader'
import { seesSql } from '@worlds/views/view-sql'
import type { Standing } from './read-element'

/** A member as a reader sees it. */
export interface RosterRow {
  /** Null for the owner. */
  readonly id: string | null
  readonly kind: string
  readonly role: string
  readonly status: string
  /** Agents have one. */
  readonly name: string | null
  /** Null for none, and for one that the reader does not see. */
  readonly character: string | null
  readonly characterName: string
  readonly joinedAt: string
}

export interface Roster extends Standing {
  readonly worldName: string
  readonly publicRead: boolean
  readonly rows: readonly RosterRow[]
}

/**
 * The roll in its order: the owner, active members as they joined, removed members (L281). Of one
 * member alone where `only` names it; empty names the owner.
 */
export async function readRoster(database: Database, worldId: string, reader: Reader, only?: string): Promise<Roster> {
  const values: unknown[] = [worldId]
  const param = (value: unknown) => `$${values.push(value)}`
  const chosen = only === undefined ? '' : `and m.member_id = ${param(only === '' ? worldId : only)}::uuid`
  const text = `
        select h.auth_version, w.name, w.public_read,
          m.member_id, m.kind, m.role, m.status, m.name, c.id, c.name, m.joined_at
        from element.world_heads h
        join element.worlds w on w.world_id = h.world_id
        left join element.members m on m.world_id = h.world_id ${chosen} -- members_pkey
        left join element.elements c -- elements_pkey
          on c.world_id = m.world_id and c.id = case m.kind when 'owner' then w.owner_character else m.character end
          and ${seesSql(reader.view, 'c', param)}
        where h.world_id = $1::uuid and not h.closed ${readerSql(reader, param)}
        order by m.kind = 'owner' desc, m.status, m.place, m.member_id`
  const rows = await database.rows(nameByText(text), values)
  const [first] = rows
  if (first === undefined) return { authVersion: null, worldName: '', publicRead: false, rows: [] }
  return {
    authVersion: toInteger(first[0]),
    worldName: String(first[1]),
    publicRead: first[2] === 't',
    rows: rows.flatMap((row) => (row[3] === null ? [] : toRosterRow(row))),
  }
}

function toRosterRow([, , , id = null, kind, role, status, name, character, characterName, joinedAt]: Row): RosterRow {
  return {
    id: kind === 'owner' ? null : id,
    kind: String(kind),
    role: String(role),
    status: String(status),
    name: name ?? null,
    character: character ?? null,
    characterName: characterName ?? '',
    joinedAt: toTimestamp(String(joinedAt)),
  }
}
