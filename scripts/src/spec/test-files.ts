import { existsSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'

const roots = ['packages', 'services', 'scripts', 'load-tests']

/** Test files and what stands beside them in a `test/` folder, where tables live. */
export function testFiles(root: string): string[] {
  return roots.map((name) => join(root, name)).flatMap(sourcesUnder)
}

function sourcesUnder(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourcesUnder(path)
    return isTest(path) ? [path] : []
  })
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || (path.endsWith('.ts') && path.includes(`${sep}test${sep}`))
}
