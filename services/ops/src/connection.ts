import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { changeFeedV1, elementV1, fileV1, membershipV1 } from '@worlds/proto/load'
import { Environment } from '@worlds/runtime/config'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { readTls } from '@worlds/runtime/tls'
import type { Passwords } from '@worlds/schema/roles'

/** What `npm start` writes into `internal.json`, or the environment gives. */
export interface Internal {
  readonly elementAddresses: readonly string[]
  readonly membershipAddresses: readonly string[]
  readonly changeFeedAddresses: readonly string[]
  readonly fileAddresses: readonly string[]
  readonly serviceToken: string
  readonly databaseUrl: string
  readonly databasePasswords: Passwords
}

export interface Clients {
  readonly operator: RpcClient<(typeof membershipV1)['Operator']['service']>
  readonly accounts: RpcClient<(typeof membershipV1)['Accounts']['service']>
  readonly elements: RpcClient<(typeof elementV1)['Elements']['service']>
  readonly heads: RpcClient<(typeof elementV1)['Operator']['service']>
  readonly changeFeed: RpcClient<(typeof changeFeedV1)['ChangeFeed']['service']>
  readonly files: RpcClient<(typeof fileV1)['Operator']['service']>
}

export interface DataOption {
  readonly data?: string | undefined
}

/** Runs one command against the system and closes its connections. */
export async function withClients<T>(options: DataOption, work: (clients: Clients) => Promise<T>): Promise<T> {
  const internal = readInternal(options)
  const tls = readTls(new Environment(process.env))
  const peer = (name: AddressKey) => new RpcPeer(internal[name], internal.serviceToken, { tls })
  const membership = peer('membershipAddresses')
  const element = peer('elementAddresses')
  const feed = peer('changeFeedAddresses')
  const file = peer('fileAddresses')
  try {
    return await work({
      operator: new RpcClient(membershipV1.Operator, membership),
      accounts: new RpcClient(membershipV1.Accounts, membership),
      elements: new RpcClient(elementV1.Elements, element),
      heads: new RpcClient(elementV1.Operator, element),
      changeFeed: new RpcClient(changeFeedV1.ChangeFeed, feed),
      files: new RpcClient(fileV1.Operator, file),
    })
  } finally {
    for (const one of [membership, element, feed, file]) one.close()
  }
}

/** A given folder comes first, then the environment, then the folder that `npm start` takes by default. */
export function readInternal({ data }: DataOption, env: NodeJS.ProcessEnv = process.env): Internal {
  const given = env.SERVICE_TOKEN !== undefined || env.DATABASE_URL !== undefined
  if (data === undefined && given) return fromEnvironment(env)
  const dir = data === undefined ? resolve('.data') : resolve(env.INIT_CWD ?? '.', data)
  const file = join(dir, 'internal.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Internal
  throw new Error(
    `no system runs on ${dir}: start one (npm start -- --data ${dir}), or name one by SERVICE_TOKEN and *_ADDRESSES`,
  )
}

type AddressKey = 'elementAddresses' | 'membershipAddresses' | 'changeFeedAddresses' | 'fileAddresses'

function fromEnvironment(env: NodeJS.ProcessEnv): Internal {
  const list = (name: string) => (env[name] ?? '').split(',').filter((item) => item !== '')
  return {
    elementAddresses: list('ELEMENT_ADDRESSES'),
    membershipAddresses: list('MEMBERSHIP_ADDRESSES'),
    changeFeedAddresses: list('CHANGE_FEED_ADDRESSES'),
    fileAddresses: list('FILE_ADDRESSES'),
    serviceToken: env.SERVICE_TOKEN ?? '',
    databaseUrl: env.DATABASE_URL ?? '',
    databasePasswords: {
      element: env.ELEMENT_DB_PASSWORD ?? '',
      membership: env.MEMBERSHIP_DB_PASSWORD ?? '',
      changeFeed: env.CHANGE_FEED_DB_PASSWORD ?? '',
      file: env.FILE_DB_PASSWORD ?? '',
    },
  }
}
