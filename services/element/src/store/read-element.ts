import type { View } from '@worlds/domain/view'
import { type Database, nameByText, type Statement, toInteger } from '@worlds/runtime/postgres'
import { uuidArray } from './binary-array'
import { cutBody } from './cut-body'
import { seesSql, unseenSql } from './view-sql'

/** What a read finds of the world it is made in. */
export interface Standing {
  /** Null when the world is absent or closed. */
  readonly authVersion: number | null
}

const one = {
  name: 'read-element',
  text: `
    select h.auth_version, e.body, e.tail
    from element.world_heads h
    left join element.elements e -- elements_pkey
      on e.world_id = h.world_id and e.id = $2::uuid and e.type = $3::text
    where h.world_id = $1::uuid and not h.closed`,
}

export interface FoundElement extends Standing {
  /** Full body; null when there is no such element. */
  readonly body: string | null
}

export async function readElement(
  database: Database,
  worldId: string,
  type: string,
  id: string,
  view: View,
): Promise<FoundElement> {
  const values: unknown[] = [worldId, id, type]
  const [row] = await database.rows(view.all ? one : oneAs(view, values), values)
  if (row === undefined) return { authVersion: null, body: null }
  const [authVersion, body = null, tail, unseen] = row
  return { authVersion: toInteger(authVersion), body: body === null ? null : `${cutBody(body, unseen)}${tail}` }
}

/** The same for a view that is cut, with the link ids that it does not see. */
function oneAs(view: View, values: unknown[]): Statement {
  const param = (value: unknown) => `$${values.push(value)}`
  return nameByText(`
    select h.auth_version, e.body, e.tail, ${unseenSql(view, 'e', param)}
    from element.world_heads h
    left join element.elements e -- elements_pkey
      on e.world_id = h.world_id and e.id = $2::uuid and e.type = $3::text and ${seesSql(view, 'e', param)}
    where h.world_id = $1::uuid and not h.closed`)
}

/** Stubs of linked elements as JSON text, by id (L53). */
export async function readStubs(
  database: Database,
  worldId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await database.rows(
    {
      name: 'read-stubs',
      text: `
        select e.id, e.name, e.supertype, e.subtype, e.image_url
        from element.elements e -- elements_pkey
        where e.world_id = $1::uuid and e.id = any ($2::uuid[])`,
    },
    [worldId, uuidArray(ids)],
  )
  return new Map(
    rows.map(([id, name, supertype, subtype, image_url]) => [
      String(id),
      JSON.stringify({ id, name, supertype, subtype, image_url }),
    ]),
  )
}
