import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { requiredMigrations } from '@worlds/runtime/required-schema'
import { repositoryRoot } from '@worlds/testkit/paths'

it.each(Object.entries(requiredMigrations))('%s is asked to have all its migrations: %s', (schema, name) => {
  const files = readdirSync(join(repositoryRoot, 'services', schema, 'migrations')).sort()
  expect(files.at(-1)).toBe(`${name}.sql`)
})
