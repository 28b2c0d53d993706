import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '@worlds/testkit/paths'

/** Files of a service, and of the packages that bring statements of their own into it. */
function sourcesOf(service: string): string[] {
  const folders = [join('services', service, 'src'), 'packages/runtime/src', 'packages/views/src']
  return folders.flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(repositoryRoot, folder, name), 'utf8')),
  )
}

/** A connection knows a prepared statement by its name alone: a second of the same name is refused, on whichever came first. */
it.each(['element', 'membership', 'change-feed', 'file'])('no two statements of %s share a name', (service) => {
  const names = sourcesOf(service).flatMap((text) =>
    [...text.matchAll(/\bname: ['`]([^'`]+)['`],?\s+text\b/g)].map(([, name = '']) => name),
  )
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([])
  const beginnings = names.filter((name) => name.includes('${')).map((name) => name.slice(0, name.indexOf('${')))
  for (const beginning of beginnings) {
    expect(names.filter((name) => name.startsWith(beginning) && !name.includes('${'))).toEqual([])
  }
})
