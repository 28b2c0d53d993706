/** Requests that keep their slots while the system works for them: what they read or write is locked in PostgreSQL. */
import type { System } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { Raw } from './hostile-table'

export interface HeldSlots {
  readonly requests: readonly Raw[]
  /** Lets the requests go on. */
  unlock(): Promise<void>
  /** Ends the requests too. */
  end(): Promise<void>
}

/** A lock that every read of elements waits for. */
export const readLock = 'lock table element.elements in access exclusive mode'

/** A lock that every commit of a world waits for. */
export const writeLock = (world: string) => `select 1 from element.world_heads where world_id = '${world}' for update`

/** Sends requests, as HTTP text, behind a lock; resolves once each has a slot. */
export async function holdSlots(
  system: System,
  lock: string,
  requests: readonly string[],
  slotsInUse: () => Promise<number>,
): Promise<HeldSlots> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  await client.query(`begin; ${lock}`)
  const sent = requests.map((request) => new Raw(system.gateway).send(request))
  await until(async () => (await slotsInUse()) === requests.length)
  let isLocked = true
  const unlock = async () => {
    if (isLocked) await client.end()
    isLocked = false
  }
  return {
    requests: sent,
    unlock,
    async end() {
      await unlock()
      for (const raw of sent) raw.leave()
    },
  }
}
