import { Command } from 'commander'
import { type DataOption, withClients } from './connection'
import { print } from './print'
import { accepted, oneTry } from './reply'

export function accountCommand(): Command {
  const command = new Command('account').description('accounts and their tokens')
  command
    .command('create')
    .description('makes an account whose email counts as verified')
    .requiredOption('--email <address>')
    .option('--password <text>', 'for the portal', '')
    .option('--pin <digits>', '1000 to 9999', '')
    .option('--name <text>', 'shown to others', '')
    .option('--data <dir>')
    .action(create)
  command
    .command('token')
    .description('makes a new token for who lost theirs')
    .requiredOption('--email <address>')
    .requiredOption('--recover')
    .option('--revoke-others', 'the tokens made before stop working', false)
    .option('--data <dir>')
    .action(recover)
  return command
}

type CreateOptions = DataOption & { email: string; password: string; pin: string; name: string }

async function create({ email, password, pin, name, data }: CreateOptions): Promise<void> {
  const request = { email, password, pin, name }
  const reply = await withClients({ data }, ({ operator }) => operator.unary('CreateAccount', request, oneTry))
  print(accepted(reply))
}

async function recover({
  email,
  revokeOthers,
  data,
}: DataOption & { email: string; revokeOthers: boolean }): Promise<void> {
  const request = { email, revoke_others: revokeOthers }
  const reply = await withClients({ data }, ({ operator }) => operator.unary('RecoverToken', request, oneTry))
  print(accepted(reply))
}
