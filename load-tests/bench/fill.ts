import { batchOf } from './elements'
import type { Stage } from './stage'

/** Fills a world through `/bulk`, and path A's table with the same bodies. */
export async function fill(stage: Stage, headers: Record<string, string>, world: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const body = batchOf(Math.min(1000, count - from), from)
    const reply = await fetch(`${stage.gateway}/api/v2/bulk`, { method: 'POST', headers, body })
    const { errors } = (await reply.json()) as { errors: boolean }
    if (reply.status !== 200 || errors) throw new Error(`the world could not be filled: ${reply.status}`)
  }
  await stage.database.query('insert into baseline.heads values ($1, $2)', [world, count])
  await stage.database.query(
    `insert into baseline.items
     select e.world_id, e.id, e.type, e.change_seq, e.folded_name, e.body || e.tail from element.elements e where e.world_id = $1`,
    [world],
  )
  await stage.database.query('vacuum analyze baseline.items')
  await stage.database.query('vacuum analyze element.elements')
}
