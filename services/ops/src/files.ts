import type { ReconcileReply__Output as ReconcileReply } from '@worlds/proto/generated/worlds/file/v1/ReconcileReply'
import { Command, InvalidArgumentError } from 'commander'
import { type Clients, type DataOption, withClients } from './connection'
import { objectionTo } from './missing-rows'
import { print } from './print'
import { accepted, oneTry } from './reply'

export function filesCommand(): Command {
  const command = new Command('files').description('files, images and their bytes')
  command
    .command('reconcile')
    .description('compares rows with elements and stored objects: what lacks an owner, its bytes, or its row')
    .option('--repair', 'removes such rows, and deletes such bytes', false)
    .option('--accept-missing <number>', 'how many rows without bytes --repair removes, where they are many', toCount)
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

interface ReconcileOptions extends DataOption {
  readonly repair: boolean
  readonly acceptMissing?: number
}

/** A repair compares everything first: nothing is removed before it is known how much that would be. */
async function reconcile({ data, repair, acceptMissing }: ReconcileOptions): Promise<void> {
  await withClients({ data }, async ({ files }) => {
    const found = await compare(files, null)
    const objection = repair ? objectionTo(found, acceptMissing) : null
    if (!repair || objection !== null) print(found)
    if (objection !== null) throw new Error(objection)
    if (!repair) return
    console.error(`removing: ${JSON.stringify(found)}`)
    print(await compare(files, found.missing))
  })
}

/** Walks all pages; `missingLimit` rows without bytes are removed at most, or nothing at all where it is null. */
async function compare(files: Clients['files'], missingLimit: number | null) {
  const sum = { rows: 0, objects: 0, orphaned: 0, missing: 0, stray: 0, repaired: 0 }
  const examples: string[] = []
  const repair = missingLimit !== null
  for (let cursor: string | null = ''; cursor !== null; ) {
    const request = { cursor, repair, missing_limit: (missingLimit ?? 0) - sum.missing }
    const page: ReconcileReply = await files.unary('Reconcile', request, { ...oneTry, repeatable: true })
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += page[name]
    if (page.stopped !== '') throw new Error(`${stops[page.stopped] ?? page.stopped}; repaired so far: ${sum.repaired}`)
    examples.push(...page.examples.slice(0, 20 - examples.length))
    cursor = page.cursor === '' ? null : page.cursor
  }
  return { ...sum, examples }
}

const stops: Readonly<Record<string, string>> = {
  bucket_unavailable:
    'the bucket does not answer: check S3_ENDPOINT, S3_BUCKET and the credentials of the file service',
  missing_limit: 'more rows lack their bytes than a moment ago: check the bucket and start again',
}

function toCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is a number of rows.')
  return Number(text)
}
