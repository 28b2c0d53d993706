import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The repository's root: the nearest folder above that holds `turbo.json`. */
export const repositoryRoot = findRoot(__dirname)

function findRoot(from: string): string {
  if (existsSync(join(from, 'turbo.json'))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error('the testkit runs inside the repository only')
  return findRoot(parent)
}
