import { resolve } from 'node:path'
import type { S3Access } from '@worlds/testkit/s3-access'
import { Command, InvalidArgumentError } from 'commander'

export interface StartOptions {
  /** Of the gateway; the upload and download hosts take the next two. 0 for any that are free. */
  readonly port: number
  readonly dir: string
  readonly fresh: boolean
  /** Servers to use instead of starting one. */
  readonly databaseUrl: string | undefined
  readonly redisUrl: string | undefined
  readonly s3: S3Access | undefined
  readonly bucket: string
}

export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): StartOptions {
  const command = new Command('npm start --')
    .description(
      'Runs the whole system on this machine. DATABASE_URL, REDIS_URL and S3_ENDPOINT name servers to use instead.',
    )
    .option('--port <number>', 'port of the gateway; uploads and downloads take the next two', toPort, 8080)
    .option('--data <dir>', 'where data, secrets and addresses are kept', '.data')
    .option('--fresh', 'forget what is kept there first', false)
    .parse(argv)
  const { port, data, fresh } = command.opts<{ port: number; data: string; fresh: boolean }>()
  // npm runs scripts in the repository's root; a path is meant from where npm was called.
  const dir = resolve(data === '.data' ? '.' : (env.INIT_CWD ?? '.'), data)
  return {
    port,
    dir,
    fresh,
    databaseUrl: env.DATABASE_URL || undefined,
    redisUrl: env.REDIS_URL || undefined,
    s3: env.S3_ENDPOINT ? givenStore(env.S3_ENDPOINT, env) : undefined,
    bucket: env.S3_BUCKET || 'worlds',
  }
}

function givenStore(endpoint: string, env: NodeJS.ProcessEnv): S3Access {
  return {
    endpoint,
    accessKeyId: env.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.S3_SECRET_ACCESS_KEY ?? '',
    conditionalPuts: env.S3_CONDITIONAL_PUTS !== 'false',
  }
}

function toPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_533) throw new InvalidArgumentError('A port is a number from 0 to 65533.')
  return port
}
