/**
 * Removes the rows of a closed world in batches. Nothing is ever written to a closed world: whoever writes checks that
 * under the head row's lock. So the rows below a key that a batch has reached are gone for good, and the next batch
 * begins there instead of stepping over all that is dead and not yet vacuumed. The outbox is left alone: what it holds
 * is still to be told, and goes with that.
 */
import { type Database, type Row, type Statement, type Transaction, toInteger } from '@worlds/runtime/postgres'
import { uuidArray } from './binary-array'

const nil = '00000000-0000-0000-0000-000000000000'
const batch = 1_000
/** An element goes with its id. Large ones go fewer at a time, for each piece of a long body is deleted by itself. */
const elementBatch = batch / 2
const elementBatchBytes = 8_000_000

interface Step {
  /** Lowest key there can be. */
  readonly first: Row
  /** Deletes the rows that come next from a key on, and returns their keys in order. */
  readonly remove: Statement
}

/** By its places no statistics can mislead the delete; that the rows come by the key is for `claim` to see to. */
const removal = (name: string, rows: string, keys: string): Statement => ({
  name: `purge-world-${name}`,
  text: `
    with gone as materialized (${rows}), removed as (
      delete from element.${name} d where d.ctid = any (array(select g.place from gone g))
    )
    select ${keys} from gone g`,
})

/** A table whose primary key, `<table>_pkey`, begins with the world: `keys` are the other columns and their types. */
const tableStep = (name: string, keys: Record<string, string>, first: Row): Step => {
  const columns = Object.keys(keys).map((key) => `o.${key}`)
  const from = Object.values(keys).map((type, index) => `$${index + 2}::${type}`)
  const rows = `
      select o.ctid as place, ${columns}
      from element.${name} o -- ${name}_pkey
      where o.world_id = $1::uuid and (${columns}) >= (${from})
      order by ${columns}
      limit ${batch}`
  return { first, remove: removal(name, rows, Object.keys(keys).join()) }
}

const elementRows = `
      select s.place, s.id
      from (
        select e.ctid as place, e.id, sum(e.size) over (order by e.id rows unbounded preceding) - e.size as before
        from element.elements e -- elements_pkey
        where e.world_id = $1::uuid and e.id >= $2::uuid
        order by e.id
        limit ${elementBatch}
      ) s
      where s.before < ${elementBatchBytes}`

/** Elements first: others may want their ids. */
const elements: Step = { first: [nil], remove: removal('elements', elementRows, 'id') }
const steps: readonly Step[] = [
  elements,
  tableStep('names', { id: 'uuid' }, [nil]),
  tableStep('words', { id: 'uuid' }, [nil]),
  tableStep('unworded', { id: 'uuid' }, [nil]),
  tableStep('marks', { id: 'uuid' }, [nil]),
  tableStep('links', { target_id: 'uuid', field: 'text', source_id: 'uuid' }, [nil, '', nil]),
  tableStep('appearances', { character_id: 'uuid', id: 'uuid' }, [nil, nil]),
  tableStep('departures', { member_id: 'uuid' }, [nil]),
  tableStep('tombstones', { change_seq: 'bigint' }, ['0']),
  tableStep('receipts', { scope: 'text', key: 'text' }, ['', '']),
  tableStep('seat_makers', { member_id: 'uuid' }, [nil]),
  tableStep('members', { member_id: 'uuid' }, [nil]),
]

export interface Progress {
  readonly step: number
  /** Where the step goes on; from its first key when null. */
  readonly from: Row | null
  /** Removed by the latest batch. */
  readonly rows: number
  readonly done: boolean
}

export const beginning: Progress = { step: 0, from: null, rows: 0, done: false }

/** One transaction's worth; null when another process is at this world, or was done with it before. */
export async function purgeBatch(tx: Transaction, worldId: string, { step, from }: Progress): Promise<Progress | null> {
  const claimed = await tx.rows(claim, [worldId])
  if (claimed.length === 0) return null
  for (const [index, { first, remove }] of steps.entries()) {
    if (index < step) continue
    const keys = await tx.rows(remove, [worldId, ...((index === step ? from : null) ?? first)])
    const last = keys.at(-1)
    if (last === undefined) continue
    // Last, as in every commit. Nobody else locks rows of this world, so there is no one to wait for.
    const ids = steps[index] === elements ? await tx.rows(releaseIds, [worldId, uuidArray(keys.map(String))]) : []
    return { step: index, from: last, rows: keys.length + ids.length, done: false }
  }
  const [done] = await tx.rows(finish, [worldId])
  return { step: steps.length, from: null, rows: toInteger(done?.[0]), done: true }
}

/**
 * The lock keeps the other processes from the world until this batch ends. Without sorts, rows in the order of a
 * primary key can only be read by its index: statistics of a young table would favour a scan of the whole world.
 */
const claim: Statement = {
  name: 'claim-closed-world',
  text: `
    select set_config('enable_sort', 'off', true)
    from element.world_heads h -- world_heads_pkey
    where h.world_id = $1::uuid and h.closed and h.purged_at is null
    for update skip locked`,
}

const releaseIds: Statement = {
  name: 'purge-element-ids',
  text: `
    delete from element.element_ids i -- element_ids_pkey, in the order of ids
    where i.id = any ($2::uuid[]) and i.world_id = $1::uuid
    returning 1`,
}

const finish: Statement = {
  name: 'finish-purge',
  text: `
    with world as (
      delete from element.worlds w where w.world_id = $1::uuid returning 1 -- worlds_pkey
    ), head as (
      update element.world_heads h set purged_at = now() where h.world_id = $1::uuid -- world_heads_pkey
    )
    select count(*) from world`,
}

const find: Statement = {
  name: 'find-closed-worlds',
  text: `
    select h.world_id
    from element.world_heads h -- world_heads_to_purge
    where h.closed and h.purged_at is null and h.world_id > $1::uuid
    order by h.world_id
    limit 100`,
}

/** Worlds that wait, some at a time, those after a world. */
export async function findClosedWorlds(database: Database, after: string | null): Promise<string[]> {
  const rows = await database.rows(find, [after ?? nil])
  return rows.map(([worldId]) => String(worldId))
}

/** For the test of their plans. */
export const purgeStatements: readonly Statement[] = [...steps.map(({ remove }) => remove), releaseIds, find]
