import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Passwords } from '@worlds/testkit/roles'
import { writeFileOf } from './data-dir'

export interface Secrets {
  readonly serviceToken: string
  readonly peppers: string
  /** Of the embedded PostgreSQL's superuser. */
  readonly postgresPassword: string
  readonly databasePasswords: Passwords
}

/** Made once per data folder: stored digests and roles depend on them. The environment may say what given servers know. */
export async function readSecrets(dir: string, env: NodeJS.ProcessEnv): Promise<Secrets> {
  const secrets = await keptSecrets(dir)
  const { element, membership, changeFeed } = secrets.databasePasswords
  return {
    ...secrets,
    databasePasswords: {
      element: env.ELEMENT_DB_PASSWORD || element,
      membership: env.MEMBERSHIP_DB_PASSWORD || membership,
      changeFeed: env.CHANGE_FEED_DB_PASSWORD || changeFeed,
    },
  }
}

async function keptSecrets(dir: string): Promise<Secrets> {
  const kept = await readFile(join(dir, 'secrets.json'), 'utf8').catch(() => undefined)
  if (kept !== undefined) return JSON.parse(kept) as Secrets
  const secret = () => randomBytes(32).toString('base64url')
  const secrets = {
    serviceToken: secret(),
    peppers: `p1:${secret()}`,
    postgresPassword: secret(),
    databasePasswords: { element: secret(), membership: secret(), changeFeed: secret() },
  }
  await writeFileOf(dir, 'secrets.json', secrets, true)
  return secrets
}
