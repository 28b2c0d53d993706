import { Command } from 'commander'
import { type DataOption, withClients } from './connection'
import { exportWorld } from './export-world'
import { importItems } from './import-items'
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
    .option('--data <dir>')
    .action(importFile)
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

async function importFile({ world, file, data }: DataOption & { world: string; file: string }): Promise<void> {
  const { items, skipped } = await readItems(file)
  const result = await withClients({ data }, (clients) => importItems(clients, world, items))
  print(skipped === 0 ? result : { ...result, skipped })
  if (result.failed > 0) process.exitCode = 1
}

type SampleOptions = DataOption & { world: string; count: number; seed: number }

async function sample({ world, count, seed, data }: SampleOptions): Promise<void> {
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('--count is a whole number from 1')
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number')
  const result = await withClients({ data }, (clients) => importItems(clients, world, sampleItems(world, count, seed)))
  print(result)
  if (result.failed > 0) process.exitCode = 1
}
