import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client } from '@grpc/grpc-js'
import { changeFeedV1, elementV1, membershipV1 } from '@worlds/proto/load'
import { RpcClient } from '@worlds/runtime/rpc-client'
import type { Passwords } from '@worlds/testkit/roles'

/** What `npm start` writes into `internal.json`, or the environment gives. */
export interface Internal {
  readonly elementAddresses: readonly string[]
  readonly membershipAddresses: readonly string[]
  readonly changeFeedAddresses: readonly string[]
  readonly serviceToken: string
  readonly databaseUrl: string
  readonly databasePasswords: Passwords
}

export interface Clients {
  readonly operator: RpcClient<InstanceType<typeof membershipV1.Operator>>
  readonly accounts: RpcClient<InstanceType<typeof membershipV1.Accounts>>
  readonly elements: RpcClient<InstanceType<typeof elementV1.Elements>>
  readonly changeFeed: RpcClient<InstanceType<typeof changeFeedV1.ChangeFeed>>
}

export interface DataOption {
  readonly data?: string | undefined
}

/** Runs one command against the system and closes its connections. */
export async function withClients<T>(options: DataOption, work: (clients: Clients) => Promise<T>): Promise<T> {
  const internal = readInternal(options)
  const made: { close(): void }[] = []
  const connect = <C extends Client>(constructor: ConstructorParameters<typeof RpcClient<C>>[0], name: AddressKey): RpcClient<C> => {
    const client = new RpcClient(constructor, internal[name], internal.serviceToken)
    made.push(client)
    return client
  }
  try {
    return await work({
      operator: connect(membershipV1.Operator, 'membershipAddresses'),
      accounts: connect(membershipV1.Accounts, 'membershipAddresses'),
      elements: connect(elementV1.Elements, 'elementAddresses'),
      changeFeed: connect(changeFeedV1.ChangeFeed, 'changeFeedAddresses'),
    })
  } finally {
    for (const client of made) client.close()
  }
}

/** A given folder comes first, then the environment, then the folder that `npm start` takes by default. */
export function readInternal({ data }: DataOption, env: NodeJS.ProcessEnv = process.env): Internal {
  const given = env.SERVICE_TOKEN !== undefined || env.DATABASE_URL !== undefined
  if (data === undefined && given) return fromEnvironment(env)
  const dir = data === undefined ? resolve('.data') : resolve(env.INIT_CWD ?? '.', data)
  const file = join(dir, 'internal.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Internal
  throw new Error(`no system runs on ${dir}: start one (npm start -- --data ${dir}), or name one by SERVICE_TOKEN and *_ADDRESSES`)
}

type AddressKey = 'elementAddresses' | 'membershipAddresses' | 'changeFeedAddresses'

function fromEnvironment(env: NodeJS.ProcessEnv): Internal {
  const list = (name: string) => (env[name] ?? '').split(',').filter((item) => item !== '')
  return {
    elementAddresses: list('ELEMENT_ADDRESSES'),
    membershipAddresses: list('MEMBERSHIP_ADDRESSES'),
    changeFeedAddresses: list('CHANGE_FEED_ADDRESSES'),
    serviceToken: env.SERVICE_TOKEN ?? '',
    databaseUrl: env.DATABASE_URL ?? '',
    databasePasswords: {
      element: env.ELEMENT_DB_PASSWORD ?? '',
      membership: env.MEMBERSHIP_DB_PASSWORD ?? '',
      changeFeed: env.CHANGE_FEED_DB_PASSWORD ?? '',
    },
  }
}
