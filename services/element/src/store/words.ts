/** Elements that full-text search does not know yet: those of before it, and those that an older version wrote. */
import type { Database } from '@worlds/runtime/postgres'
import { textArray, uuidArray } from './binary-array'

export interface UnwordedElement {
  readonly type: string
  readonly body: string
}

/** A page of long bodies is still small. */
const batch = 100

/**
 * Finds the words of some elements out; answers how many were looked at. Their rows are locked meanwhile, so that no
 * commit writes newer words below these; one that is being written waits for another time.
 */
export async function findWords(database: Database, wordsOf: (element: UnwordedElement) => string): Promise<number> {
  return database.transaction(async (tx) => {
    const claimed = await tx.rows(claim, [batch])
    const ids = claimed.map(([, id]) => String(id))
    const worlds = claimed.map(([world]) => String(world))
    const rows = await tx.rows(lock, [uuidArray(worlds), uuidArray(ids)])
    const found = rows.map(([world, id, type, body]) => ({
      world: String(world),
      id: String(id),
      words: wordsOf({ type: String(type), body: String(body) }),
    }))
    const columns = [uuidArray(found.map(({ world }) => world)), uuidArray(found.map(({ id }) => id))]
    await tx.rows(store, [...columns, textArray(found.map(({ words }) => words))])
    const done = await tx.rows(settle, [uuidArray(worlds), uuidArray(ids), ...columns])
    return done.length
  })
}

const claim = {
  name: 'claim-unworded',
  text: `
    select u.world_id, u.id from element.unworded u -- unworded_pkey
    order by u.world_id, u.id
    limit $1::int
    for update skip locked`,
}

const lock = {
  name: 'lock-unworded',
  text: `
    select e.world_id, e.id, e.type, e.body
    from unnest($1::uuid[], $2::uuid[]) as u (world_id, id)
    join element.elements e on e.world_id = u.world_id and e.id = u.id -- elements_pkey
    for update of e skip locked`,
}

const store = {
  name: 'store-words',
  text: `
    insert into element.words (world_id, id, words)
    select w.world_id, w.id, array_to_tsvector(string_to_array(w.words, ' '))
    from unnest($1::uuid[], $2::uuid[], $3::text[]) as w (world_id, id, words)
    where w.words <> ''
    on conflict on constraint words_pkey do update set words = excluded.words`,
}

/** Those that were found, and those whose element is no more. */
const settle = {
  name: 'settle-unworded',
  text: `
    delete from element.unworded u -- unworded_pkey
    using unnest($1::uuid[], $2::uuid[]) as c (world_id, id)
    where u.world_id = c.world_id and u.id = c.id and (
      exists (
        select 1 from unnest($3::uuid[], $4::uuid[]) as f (world_id, id)
        where f.world_id = c.world_id and f.id = c.id)
      or not exists (
        select 1 from element.elements e where e.world_id = c.world_id and e.id = c.id)) -- elements_pkey
    returning 1`,
}
