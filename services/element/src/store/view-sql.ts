import type { View } from '@worlds/domain/view'

/** A placeholder for a value of a statement that is being written. */
export type Param = (value: unknown) => string

/**
 * SQL for whether a view sees the element row `alias`: `sees` of @worlds/domain/view, told to
 * PostgreSQL. A test holds the two against each other.
 */
export function seesSql(view: View, alias: string, param: Param): string {
  if (view.all) return 'true'
  const shown = grantsOf(view, alias, param)
  const unhidden = `not exists (
            select 1 from element.marks k -- marks_pkey
            where k.world_id = ${alias}.world_id and k.id = ${alias}.id)`
  const granted = shown === '' ? 'false' : `(${unhidden} and ${shown})`
  if (view.creator === null) return granted
  // Never null, though the creator may be: what is negated must be true or false.
  const own = `(${alias}.created_by is not null and ${alias}.created_by = ${param(view.creator)}::uuid)`
  return `(${own} or ${granted})`
}

/** Ids that a row's links name and the view does not see, as one column. */
export function unseenSql(view: View, alias: string, param: Param): string {
  return `array(
            select l.target_id from element.links l -- links_by_source
            join element.elements t on t.world_id = l.world_id and t.id = l.target_id -- elements_pkey
            where l.world_id = ${alias}.world_id and l.source_id = ${alias}.id and not ${seesSql(view, 't', param)})`
}

function grantsOf(view: View, alias: string, param: Param): string {
  if (view.open) return 'true'
  const grants: string[] = []
  if (view.character !== null) {
    const character = `${param(view.character)}::uuid`
    grants.push(`${alias}.id = ${character}`)
    grants.push(`exists (
              select 1 from element.links g -- links_pkey
              where g.world_id = ${alias}.world_id and g.target_id = ${character} and g.field = 'characters'
                and g.source_id = ${alias}.id)`)
  }
  if (view.roster) {
    grants.push(`exists (
              select 1 from element.worlds w where w.world_id = ${alias}.world_id and w.owner_character = ${alias}.id)`)
    grants.push(`exists (
              select 1 from element.members r where r.world_id = ${alias}.world_id and r.character = ${alias}.id)`)
  }
  return grants.length === 0 ? '' : `(${grants.join(' or ')})`
}
