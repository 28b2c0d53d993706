import { Command } from 'commander'
import { accountCommand } from './account'
import { filesCommand, queueCommand } from './files'
import { migrateCommand } from './migrate'
import { worldCommand } from './world'

/** `npm run -s ops -- …`: the operator's command line. One JSON line a call, exit 0 or 1, errors on standard error. */
const program = new Command('ops')
  .description('Works on the running system of --data DIR (default .data), or of the addresses in the environment.')
  .addCommand(accountCommand())
  .addCommand(worldCommand())
  .addCommand(migrateCommand())
  .addCommand(filesCommand())
  .addCommand(queueCommand())

program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
