import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Passwords } from '@worlds/schema/roles'
import { makeTicketKeys, type TicketKeys } from '@worlds/testkit/ticket-keys'
import { writeFileOf } from './data-dir'

export interface Secrets {
  readonly serviceToken: string
  readonly peppers: string
  /** Of the embedded PostgreSQL's superuser. */
  readonly postgresPassword: string
  readonly databasePasswords: Passwords
  readonly ticketKeys: TicketKeys
  /** `id:secret`, for download links. */
  readonly linkSecrets: string
}

/** Made once per data folder: stored digests and roles depend on them. The environment may say what given servers know. */
export async function readSecrets(dir: string, env: NodeJS.ProcessEnv): Promise<Secrets> {
  const secrets = await keptSecrets(dir)
  const { element, membership, changeFeed, file } = secrets.databasePasswords
  return {
    ...secrets,
    databasePasswords: {
      element: env.ELEMENT_DB_PASSWORD || element,
      membership: env.MEMBERSHIP_DB_PASSWORD || membership,
      changeFeed: env.CHANGE_FEED_DB_PASSWORD || changeFeed,
      file: env.FILE_DB_PASSWORD || file,
    },
  }
}

async function keptSecrets(dir: string): Promise<Secrets> {
  const text = await readFile(join(dir, 'secrets.json'), 'utf8').catch(() => '{}')
  const kept = JSON.parse(text) as Partial<Secrets>
  const secret = () => randomBytes(32).toString('base64url')
  const passwords = { element: secret(), membership: secret(), changeFeed: secret(), file: secret() }
  // A folder of an earlier version lacks what came since.
  const secrets = {
    serviceToken: secret(),
    peppers: `p1:${secret()}`,
    postgresPassword: secret(),
    ticketKeys: makeTicketKeys(),
    linkSecrets: `l1:${secret()}`,
    ...kept,
    databasePasswords: { ...passwords, ...kept.databasePasswords },
  }
  await writeFileOf(dir, 'secrets.json', secrets, true)
  return secrets
}
