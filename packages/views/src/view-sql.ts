/**
 * SQL for whether a view sees a row: `sees` of @worlds/domain/view, told to PostgreSQL. A test holds
 * the two against each other. What a row is looked up by stands in scalar subqueries: they go by
 * their index for each row, while the planner may make of `exists` a scan of every world's rows, or
 * begin a join at the wrong end, as long as it knows a table to be small.
 */
import type { View } from '@worlds/domain/view'

/** A placeholder for a value of a statement that is being written. */
export type Param = (value: unknown) => string

/** Whether a view sees the element row `alias`. Never null, for it may be negated. */
export function seesSql(view: View, alias: string, param: Param): string {
  if (view.all) return 'true'
  const grants = grantsOf(view, alias, param)
  const granted = grants === '' ? 'false' : `(${unhiddenSql(alias)} and ${grants})`
  return view.creator === null ? granted : `(${ownSql(view.creator, alias, param)} or ${granted})`
}

/** Whether a view saw what the tombstone `alias` tells of, as that stood when it went (B12). Never null. */
export function sawSql(view: View, alias: string, param: Param): string {
  if (view.all) return 'true'
  const character = view.character === null ? null : `${param(view.character)}::uuid`
  const grants = [
    ...(view.open ? ['true'] : []),
    ...(character === null ? [] : [`${alias}.id = ${character}`, `${alias}.characters @> array[${character}]`]),
    ...(view.roster ? [`${alias}.roster_character`] : []),
  ]
  const granted = `(not ${alias}.hidden and (${grants.join(' or ') || 'false'}))`
  return view.creator === null ? granted : `(${ownSql(view.creator, alias, param)} or ${granted})`
}

export function unhiddenSql(alias: string): string {
  return `(select k.id from element.marks k -- marks_pkey
            where k.world_id = ${alias}.world_id and k.id = ${alias}.id) is null`
}

/** Whether the id that a row of the same world names is hidden from who sees all that is open. */
export function hiddenSql(view: View, world: string, id: string, param: Param): string {
  const creator = `(select t.created_by from element.elements t -- elements_pkey
              where t.world_id = k.world_id and t.id = k.id)`
  const foreign = view.creator === null ? '' : `and ${creator} is distinct from ${param(view.creator)}::uuid`
  return `(select k.id from element.marks k -- marks_pkey
            where k.world_id = ${world} and k.id = ${id} ${foreign}) is not null`
}

/** Ids that a row's links name and the view does not see, as one column. */
export function unseenSql(view: View, alias: string, param: Param): string {
  const links = `l.world_id = ${alias}.world_id and l.source_id = ${alias}.id`
  // Whoever sees all that is open misses hidden ones alone, which are few.
  if (view.open) {
    return `array(
            select l.target_id from element.links l -- links_by_source
            where ${links} and ${hiddenSql(view, 'l.world_id', 'l.target_id', param)})`
  }
  return `array(
            select l.target_id from element.links l -- links_by_source
            where ${links} and (
              select ${seesSql(view, 't', param)} from element.elements t -- elements_pkey
              where t.world_id = l.world_id and t.id = l.target_id) is false)`
}

/** An element's id, or null where the view does not see the element. `id` is a column of a row `w` of the same world. */
export function seenSql(view: View, id: string, param: Param): string {
  if (view.all) return id
  return `(select c.id from element.elements c where c.world_id = w.world_id and c.id = ${id} and ${seesSql(view, 'c', param)})`
}

/** Ids of everybody's Characters in the world that `world` stands for. */
export function rosterSql(world: string): string {
  return `select w.owner_character from element.worlds w where w.world_id = ${world} and w.owner_character is not null
            union
            select r.character from element.members r -- members_by_character
            where r.world_id = ${world} and r.character is not null`
}

export interface GrantedRows {
  /** Condition on a row's type, with its alias for `%`; empty for rows of every type. */
  readonly type: string
  readonly after: string
  readonly limit: string
  /** Joins to, and conditions on, the element row `e`. */
  readonly join: string
  readonly where: string
}

/**
 * Places and ids of what a guest sees, up to a limit: each grant along its own index and in the
 * order of places, so that a page costs what it returns and not what the world holds. `$1` is the
 * world.
 */
export function grantedSql(view: View, { type, after, limit, join, where }: GrantedRows, param: Param): string {
  const page = (alias: string) =>
    `and ${alias}.change_seq > ${after} ${type.replace('%', alias)} ${where}
            order by ${alias}.change_seq limit ${limit}`
  const branches: string[] = []
  if (view.creator !== null) {
    branches.push(`
            select e.change_seq, e.id from element.elements e -- elements_by_creator
            ${join}
            where e.world_id = $1::uuid and e.created_by = ${param(view.creator)}::uuid ${page('e')}`)
  }
  if (view.character !== null) {
    branches.push(`
            select a.change_seq, a.id from element.appearances a -- appearances_by_type, appearances_by_place
            join element.elements e on e.world_id = a.world_id and e.id = a.id -- elements_pkey
            ${join}
            where a.world_id = $1::uuid and a.character_id = ${param(view.character)}::uuid
              and ${unhiddenSql('a')} ${page('a')}`)
  }
  const own = view.character === null ? '' : `union select ${param(view.character)}::uuid`
  branches.push(`
            select e.change_seq, e.id from (${rosterSql('$1::uuid')} ${own}) c (id)
            join element.elements e on e.world_id = $1::uuid and e.id = c.id -- elements_pkey
            ${join}
            where ${unhiddenSql('e')} ${page('e')}`)
  return branches.map((branch) => `(${branch})`).join(' union ')
}

/** The server's fields of a row, which name no creator whose account is gone (B32). */
export function tailSql(alias: string): string {
  return `case when ${alias}.created_by is not null and (
            select d.member_id from element.departures d -- departures_pkey
            where d.world_id = ${alias}.world_id and d.member_id = ${alias}.created_by
          ) is not null then regexp_replace(${alias}.tail, '"created_by":"[^"]*"', '"created_by":null') else ${alias}.tail end`
}

function ownSql(creator: string, alias: string, param: Param): string {
  return `(${alias}.created_by is not null and ${alias}.created_by = ${param(creator)}::uuid)`
}

function grantsOf(view: View, alias: string, param: Param): string {
  if (view.open) return 'true'
  const grants: string[] = []
  if (view.character !== null) {
    const character = `${param(view.character)}::uuid`
    grants.push(`${alias}.id = ${character}`)
    grants.push(`(select g.source_id from element.links g -- links_pkey
              where g.world_id = ${alias}.world_id and g.target_id = ${character} and g.field = 'characters'
                and g.source_id = ${alias}.id) is not null`)
  }
  if (view.roster) {
    grants.push(`(select w.owner_character from element.worlds w -- worlds_pkey
              where w.world_id = ${alias}.world_id) is not distinct from ${alias}.id`)
    grants.push(`(select r.character from element.members r -- members_by_character
              where r.world_id = ${alias}.world_id and r.character = ${alias}.id limit 1) is not null`)
  }
  return grants.length === 0 ? '' : `(${grants.join(' or ')})`
}
