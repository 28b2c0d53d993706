import type { ReconcileReply__Output as ReconcileReply } from '@worlds/proto/generated/worlds/file/v1/ReconcileReply'
import { Command } from 'commander'
import { type DataOption, withClients } from './connection'
import { print } from './print'
import { accepted, oneTry } from './reply'

export function filesCommand(): Command {
  const command = new Command('files').description('files, images and their bytes')
  command
    .command('reconcile')
    .description('compares rows with elements and stored objects: what lacks an owner, its bytes, or its row')
    .option('--repair', 'removes such rows, and deletes such bytes', false)
    .option('--data <dir>')
    .action(reconcile)
  return command
}

export function queueCommand(): Command {
  const command = new Command('queue').description('work that services hand to each other')
  command
    .command('status')
    .description('jobs of every queue by state, and those that were given up')
    .option('--data <dir>')
    .action((options: DataOption) => showQueues(options, false))
  command
    .command('retry')
    .description('puts the jobs that were given up back, to be tried again')
    .option('--data <dir>')
    .action((options: DataOption) => showQueues(options, true))
  return command
}

async function showQueues({ data }: DataOption, retry: boolean): Promise<void> {
  await withClients({ data }, async ({ files }) => print(accepted(await files.unary('GetQueues', { retry }, oneTry))))
}

async function reconcile({ data, repair }: DataOption & { repair: boolean }): Promise<void> {
  const sum = { rows: 0, objects: 0, orphaned: 0, missing: 0, stray: 0, repaired: 0 }
  const examples: string[] = []
  await withClients({ data }, async ({ files }) => {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: ReconcileReply = await files.unary('Reconcile', { cursor, repair }, { ...oneTry, repeatable: true })
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += page[name]
      examples.push(...page.examples.slice(0, 20 - examples.length))
      cursor = page.cursor === '' ? null : page.cursor
    }
  })
  print({ ...sum, examples })
}
