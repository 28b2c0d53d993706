/**
 * A process is ready once the database has come as far as its code needs: pods may start before, or
 * beside, the Job that migrates. A database that is further is as good: migrations only add.
 */
import type { Database } from './postgres'

/** The last migration of each schema that this version's statements rest on. */
export const requiredMigrations = {
  element: '0008_seat-makers',
  membership: '0005_own-seats-and-sponsor-offers',
  file: '0002_list-file',
} as const

export async function isMigrated(database: Database, schema: keyof typeof requiredMigrations): Promise<boolean> {
  const text = `select 1 from ${schema}.migrations m where m.name = $1::text`
  return (await database.rows({ name: 'is-migrated', text }, [requiredMigrations[schema]])).length > 0
}
