import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { repositoryRoot } from '@worlds/testkit/paths'
import { clausesNamed, shorten } from './spec/clauses'
import { testFiles } from './spec/test-files'

/** `npm run spec`: which clauses of the specification have a test, by the ids in tests' names. */
function main(): number {
  const file = resolve(process.env.SPEC_CLAUSES ?? join(repositoryRoot, '..', 'shared', 'spec', 'clauses.tsv'))
  if (!existsSync(file)) {
    console.log(`no clauses at ${file}: nothing was counted (SPEC_CLAUSES names another place)`)
    return 0
  }
  const [, ...lines] = readFileSync(file, 'utf8').split('\n')
  const clauses = lines.map((line) => line.split('\t')[0] ?? '').filter((id) => id !== '')
  const known = new Set(clauses)
  const tested = new Set<string>()
  const unknown: string[] = []
  for (const path of testFiles(repositoryRoot)) {
    for (const id of clausesNamed(readFileSync(path, 'utf8'))) {
      if (known.has(id)) tested.add(id)
      else unknown.push(`${relative(repositoryRoot, path)} names ${id}, which is no clause`)
    }
  }
  printTable(clauses, tested)
  for (const line of unknown) console.error(line)
  return unknown.length === 0 ? 0 : 1
}

function printTable(clauses: readonly string[], tested: ReadonlySet<string>): void {
  const prefixes = new Map<string, string[]>()
  for (const id of clauses) {
    const prefix = id.slice(0, id.indexOf('-'))
    prefixes.set(prefix, [...(prefixes.get(prefix) ?? []), id])
  }
  for (const [prefix, ids] of [...prefixes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const without = ids.filter((id) => !tested.has(id))
    const count = `${prefix}  ${String(ids.length - without.length).padStart(3)} of ${String(ids.length).padStart(3)}`
    console.log(without.length === 0 ? count : `${count}  without a test: ${shorten(without)}`)
  }
  console.log(`all ${String(tested.size).padStart(3)} of ${clauses.length}`)
}

process.exitCode = main()
