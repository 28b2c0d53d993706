import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { repositoryRoot } from './paths'

/** A program in `.tools/` or on the PATH; null when it is in neither. */
export function findProgram(name: string): string | null {
  const folders = [join(repositoryRoot, '.tools'), ...(process.env.PATH ?? '').split(delimiter)]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}
