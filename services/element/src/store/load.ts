import type { Row, Transaction } from '@worlds/runtime/postgres'
import type { Facts, Head } from '../domain/facts'
import { isEmpty, type Needs } from '../domain/needs'
import type { Roll } from '../domain/roll'
import { textArray, uuidArray } from './binary-array'
import { readFacts } from './read-facts'
import { recordSql } from './world-record'

/** Locks the world against every other commit until the transaction ends. */
export async function lockHead(tx: Transaction, worldId: string): Promise<void> {
  await tx.rows(
    { name: 'lock-head', text: 'select 1 from element.world_heads h where h.world_id = $1::uuid for update' },
    [worldId],
  )
}

/** Seven texts a row, the first of them for what it is. */
const nulls = (count: number) => Array.from({ length: count }, () => 'null').join(', ')

/**
 * A row of the world by its id, `n.id`. The limit keeps the planner from a join that begins with all
 * rows of the world and looks each of them up in the ids.
 */
const oneByOne = (table: string, alias: string) => `
      select ${alias}.* from element.${table} ${alias} -- ${table}_pkey
      where ${alias}.world_id = $1::uuid and ${alias}.id = n.id limit 1`

/**
 * All that a batch's decisions rest on, in one statement and so in one snapshot. Each row begins
 * with a letter for what it is. Null when the world is absent or closed.
 */
export const loadStatement = {
  name: 'load-facts',
  text: `
    with carrier as (
      select l.target_id, l.source_id
      from element.links l -- links_pkey
      where l.world_id = $1::uuid and l.target_id = any ($4::uuid[])
    ), linked as (
      select l.target_id as id
      from element.links l -- links_by_source
      where l.world_id = $1::uuid and l.source_id = any ($10::uuid[])
      union all
      select m.character from element.members m where m.world_id = $1::uuid and m.member_id = any ($11::uuid[])
      union all
      select m.character
      from element.seat_makers s -- seat_makers_by_maker
      join element.members m on m.world_id = s.world_id and m.member_id = s.member_id -- members_pkey
      where s.world_id = $1::uuid and s.maker = any ($11::uuid[])
      union all
      select w.owner_character from element.worlds w where w.world_id = $1::uuid and $8::boolean
    )
    select 'h' as kind, h.head::text as a, h.view_version::text as b, h.auth_version::text as c, h.timeline::text as d,
      (extract(epoch from h.last_write_at) * 1000000)::bigint::text as e, h.commits::text as f, null::text as g
    from element.world_heads h
    where h.world_id = $1::uuid and not h.closed
    union all
    select 'e', e.id::text, e.type, case when e.running <= $15::bigint then e.body else e.size::text end,
      e.created_at::text, e.updated_at::text, e.change_seq::text,
      (select e.created_by::text where e.created_by is not null and not exists (
        select 1 from element.departures d -- departures_pkey
        where d.world_id = e.world_id and d.member_id = e.created_by))
    from (
      select e.*, sum(e.size) over (rows unbounded preceding) as running
      from (select unnest($2::uuid[]) union select c.source_id from carrier c) n (id)
      cross join lateral (${oneByOne('elements', 'e')}) e
    ) e
    union all
    select 't', e.id::text, e.type, e.created_by::text, case when $13::boolean then (
        select string_agg(l.target_id::text, ',')
        from element.links l -- links_by_source
        where l.world_id = e.world_id and l.source_id = e.id and l.field = 'characters'
      ) end, ${nulls(3)}
    from (select unnest($3::uuid[]) union select l.id from linked l) n (id)
    cross join lateral (${oneByOne('elements', 'e')}) e
    union all
    select 'i', i.id::text, ${nulls(6)}
    from element.element_ids i -- element_ids_pkey
    where i.id = any ($2::uuid[]) and i.world_id <> $1::uuid
    union all
    select 'c', c.target_id::text, c.source_id::text, ${nulls(5)} from carrier c
    union all
    select 'r', r.scope, r.key, r.request_hash, r.status::text, r.reply, ${nulls(2)}
    from element.receipts r -- receipts_pkey
    join unnest($5::text[], $6::text[]) as k (scope, key) on r.scope = k.scope and r.key = k.key
    where r.world_id = $1::uuid and r.created_at >= $7::timestamptz
    union all
    select 'm', m.id::text, ${nulls(6)}
    from (
      select unnest($2::uuid[] || $3::uuid[]) union select c.source_id from carrier c union select l.id from linked l
    ) n (id)
    cross join lateral (${oneByOne('marks', 'm')}) m
    union all
    select 'x', t.id::text, t.created_by::text, array_to_string(t.characters, ','), t.roster_character::text,
      t.hidden::text, ${nulls(2)}
    from element.tombstones t -- tombstones_by_id
    where t.world_id = $1::uuid and t.id = any ($9::uuid[])
    union all
    select 'p', m.member_id::text, m.kind || ' ' || m.role || ' ' || m.status, m.name, m.character::text,
      m.place::text, m.joined_at::text, (
        select s.maker::text from element.seat_makers s -- seat_makers_pkey
        where s.world_id = m.world_id and s.member_id = m.member_id)
    from element.world_heads h
    join element.members m on m.world_id = h.world_id -- members_pkey
    where h.world_id = $1::uuid and (h.timeline, h.view_version) <> ($14::bigint, $12::bigint)
    union all
    select 'o', w.owner_character::text, ${nulls(6)}
    from element.world_heads h
    join element.worlds w on w.world_id = h.world_id
    where h.world_id = $1::uuid and (h.timeline, h.view_version) <> ($14::bigint, $12::bigint)
    union all
    select 'w', ${recordSql}::text,
      w.created_at::text, w.updated_at::text, ${nulls(4)}
    from element.worlds w
    where w.world_id = $1::uuid and $8::boolean`,
}

/** Of which planning takes but a fraction of the time. */
const manyIds = 200

/** No view version there ever was: the roll is wanted, whichever it is. */
const unknownRoll = -1

/**
 * `known` is the roll as this process last saw it; it is not read again while it stands. Bodies are loaded until they
 * take `bodyBytes` together; the others are withheld.
 */
export async function loadFacts(
  tx: Transaction,
  worldId: string,
  needs: Needs,
  known: Roll | null,
  receiptsSince: string,
  bodyBytes: number,
): Promise<Facts | null> {
  const { text } = loadStatement
  // Planned for itself: a plan that was kept may be from a time when the tables were next to empty.
  const statement = needs.elements.size + needs.targets.size > manyIds ? { text } : loadStatement
  const rows: readonly Row[] = await tx.rows(statement, [
    worldId,
    uuidArray([...needs.elements]),
    uuidArray([...needs.targets]),
    uuidArray([...needs.deleted]),
    textArray(needs.receipts.map(({ scope }) => scope)),
    textArray(needs.receipts.map(({ key }) => key)),
    receiptsSince,
    needs.record,
    uuidArray([...needs.hidden]),
    uuidArray([...needs.cut]),
    uuidArray([...needs.members]),
    known?.viewVersion ?? unknownRoll,
    needs.sights,
    known?.timeline ?? unknownRoll,
    bodyBytes,
  ])
  return readFacts(rows, known)
}

/** Whether the roll is the one that stands beside a head row. */
export function isOf(roll: Roll, head: Head): boolean {
  return roll.viewVersion === head.viewVersion && roll.timeline === head.timeline
}

/** Facts of a batch that rests on nothing but what this process knows from its last commit; null when it needs more. */
export function factsKnown(needs: Needs, head: Head | null, roll: Roll | null): Facts | null {
  const isRollKnown = roll !== null && head !== null && isOf(roll, head)
  if (head === null || !isEmpty(needs) || (needs.roll && !isRollKnown)) return null
  return {
    head,
    roll: isRollKnown ? roll : null,
    elements: new Map(),
    withheld: new Map(),
    linked: new Map(),
    elsewhere: new Set(),
    carriers: new Map(),
    receipts: [],
    marks: new Set(),
    tombstones: [],
    record: null,
  }
}
