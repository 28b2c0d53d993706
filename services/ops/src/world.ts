import { randomUUID } from 'node:crypto'
import type { MarkRestoredReply__Output as MarkRestoredReply } from '@worlds/proto/generated/worlds/element/v1/MarkRestoredReply'
import { Command } from 'commander'

import { type DataOption, withClients } from './connection'
import { exportWorld } from './export-world'
import { importItems } from './import-items'
import { withNewIds } from './item'
import { print } from './print'
import { readItems } from './read-items'
import { accepted, oneTry } from './reply'
import { sampleItems } from './sample'

export function worldCommand(): Command {
  const command = new Command('world').description('worlds and what is in them')
  command
    .command('create')
    .requiredOption('--account <id>')
    .requiredOption('--name <text>')
    .option('--data <dir>')
    .action(create)
  command
    .command('legacy-key')
    .description('imports an existing key of ten digits; 0000000000 to 0000000009 are always read-only')
    .requiredOption('--world <id>')
    .requiredOption('--key <digits>')
    .option('--read-only', 'refuses writes', false)
    .option('--data <dir>')
    .action(legacyKey)
  command
    .command('export')
    .description('prints the world as NDJSON, one record of its change feed a line')
    .requiredOption('--world <id>')
    .option('--data <dir>')
    .action(({ world, data }) => withClients({ data }, (clients) => exportWorld(clients, world, process.stdout)))
  command
    .command('import')
    .description('reads NDJSON of an export, or of {"type", "element"} lines, plain or .gz')
    .requiredOption('--world <id>')
    .requiredOption('--file <path>')
    .option('--new-ids', 'copies a world: every element gets an id of its own, and links follow', false)
    .option('--data <dir>')
    .action(importFile)
  command
    .command('restored')
    .description('to be run after a restore from a backup: no cursor, reply or count of before is good any longer')
    .option('--world <id>', 'of one world alone', '')
    .option('--data <dir>')
    .action(restored)
  command
    .command('sample')
    .description('fills the world with made-up elements of every category; the same seed makes the same ones')
    .requiredOption('--world <id>')
    .option('--count <number>', 'how many', Number, 2_000)
    .option('--seed <number>', 'which', Number, 1)
    .option('--data <dir>')
    .action(sample)
  return command
}

async function create({ account, name, data }: DataOption & { account: string; name: string }): Promise<void> {
  const request = { account_id: account, world_id: '', id: '', body: Buffer.from(JSON.stringify({ name })) }
  const reply = await withClients({ data }, ({ accounts }) => accounts.unary('CreateWorld', request, oneTry))
  print(accepted(reply))
}

type LegacyKeyOptions = DataOption & { world: string; key: string; readOnly: boolean }

async function legacyKey({ world, key, readOnly, data }: LegacyKeyOptions): Promise<void> {
  const request = { world_id: world, key, read_only: readOnly }
  const reply = await withClients({ data }, ({ operator }) => operator.unary('ImportLegacyKey', request, oneTry))
  print(accepted(reply))
}

type ImportOptions = DataOption & { world: string; file: string; newIds: boolean }

async function importFile({ world, file, newIds, data }: ImportOptions): Promise<void> {
  const { items, skipped } = await readItems(file)
  const wanted = newIds ? withNewIds(items, randomUUID) : items
  const result = await withClients({ data }, (clients) => importItems(clients, world, wanted))
  print(skipped === 0 ? result : { ...result, skipped })
  if (result.failed > 0) process.exitCode = 1
}

async function restored({ world, data }: DataOption & { world: string }): Promise<void> {
  await withClients({ data }, async ({ heads, files }) => {
    let worlds = 0
    for (let after: string | null = ''; after !== null; ) {
      const request = { world_id: world, after }
      const page: MarkRestoredReply = await heads.unary('MarkRestored', request, { ...oneTry, repeatable: true })
      worlds += page.worlds
      after = page.last === '' ? null : page.last
    }
    if (world !== '' && worlds === 0) throw new Error(`there is no world ${world}`)
    print({ worlds, ...accepted<object>(await files.unary('ForgetRooms', {}, oneTry)) })
  })
}

type SampleOptions = DataOption & { world: string; count: number; seed: number }

async function sample({ world, count, seed, data }: SampleOptions): Promise<void> {
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('--count is a whole number from 1')
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number')
  const result = await withClients({ data }, (clients) => importItems(clients, world, sampleItems(world, count, seed)))
  print(result)
  if (result.failed > 0) process.exitCode = 1
}
