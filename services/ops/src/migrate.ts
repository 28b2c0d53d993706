import { migrate } from '@worlds/schema/migrate'
import { Command } from 'commander'
import { type DataOption, readInternal } from './connection'
import { print } from './print'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('brings the database up to date: DATABASE_URL of its owner, *_DB_PASSWORD of the services')
    .option('--data <dir>')
    .action(run)
}

async function run(options: DataOption): Promise<void> {
  const { databaseUrl, databasePasswords } = readInternal(options)
  if (databaseUrl === '') throw new Error('DATABASE_URL is not set')
  const missing = Object.values(databasePasswords).filter((password) => password === '')
  if (missing.length > 0) throw new Error('ELEMENT_, MEMBERSHIP_, CHANGE_FEED_ and FILE_DB_PASSWORD must be set')
  const ran: string[] = []
  await migrate(databaseUrl, databasePasswords, { ran: (name) => ran.push(name) })
  print({ migrated: ran })
}
