import { noSuch } from '@worlds/domain/errors'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import { membershipV1 } from '@worlds/proto/load'
import { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import type { Metrics } from '@worlds/runtime/metrics'
import { type RpcScope, unary } from '@worlds/runtime/operation'
import { PinGuard } from '@worlds/runtime/pin-guard'
import { createDatabase } from '@worlds/runtime/postgres'
import type { Service } from '@worlds/runtime/process'
import { createRedis, firstConnection } from '@worlds/runtime/redis'
import { createRpcServer } from '@worlds/runtime/rpc-server'
import type { Config } from './config'
import type { Context } from './context'
import { readId } from './domain/ids'
import { createMailer } from './mail/mailer'
import { Relay } from './relay'
import { Roll } from './roll'
import { addEmail } from './rpc/add-email'
import { addWatched } from './rpc/add-watched'
import { authenticateKey } from './rpc/authenticate-key'
import { authenticateToken } from './rpc/authenticate-token'
import { createAccount } from './rpc/create-account'
import { createKey } from './rpc/create-key'
import { createToken } from './rpc/create-token'
import { createWorld } from './rpc/create-world'
import { deleteWorld } from './rpc/delete-world'
import { describeOwner } from './rpc/describe-owner'
import { getAccount } from './rpc/get-account'
import { getWorld } from './rpc/get-world'
import { importLegacyKey } from './rpc/import-legacy-key'
import { listKeys } from './rpc/list-keys'
import { listMails } from './rpc/list-mails'
import { listTokens } from './rpc/list-tokens'
import { listWatched } from './rpc/list-watched'
import { listWorlds } from './rpc/list-worlds'
import { recoverToken } from './rpc/recover-token'
import { removeWatched } from './rpc/remove-watched'
import { answer, type Refusable } from './rpc/reply'
import { revokeKey } from './rpc/revoke-key'
import { revokeToken } from './rpc/revoke-token'
import { updateAccount } from './rpc/update-account'
import { updateWorld } from './rpc/update-world'
import { verifyEmail } from './rpc/verify-email'

const accounts = {
  GetAccount: getAccount,
  UpdateAccount: updateAccount,
  ListTokens: listTokens,
  CreateToken: createToken,
  RevokeToken: revokeToken,
  ListWorlds: listWorlds,
  CreateWorld: createWorld,
  GetWorld: getWorld,
  UpdateWorld: updateWorld,
  DeleteWorld: deleteWorld,
  ListKeys: listKeys,
  CreateKey: createKey,
  RevokeKey: revokeKey,
  AddEmail: addEmail,
  VerifyEmail: verifyEmail,
  ListWatched: listWatched,
  AddWatched: addWatched,
  RemoveWatched: removeWatched,
}

export async function createMembership(config: Config, log: Log, metrics: Metrics): Promise<Service> {
  const db = createDatabase(config.database, log)
  const redis = createRedis(config.redisUrl, config.redisPrefix, log)
  await firstConnection(redis, 2_000)
  const roll = new Roll(config.elementAddresses, config.process.serviceToken)
  const context: Context = {
    log,
    db,
    roll,
    pinGuard: new PinGuard(redis, config.pinGuard),
    peppers: config.peppers,
    failpoints: new Failpoints(config.failpoints),
    imageBytesCap: config.imageBytesCap,
    mailer: createMailer(config.mail, log, db),
    emailTokenLifeMs: config.emailTokenLifeMs,
    portalUrl: config.portalUrl,
    outboxLeaseMs: config.relay.leaseMs,
  }
  const server = createRpcServer(config.process.serviceToken, config.maxConnectionAgeMs)
  addHandlers(server, { log, metrics }, context)
  const relay = new Relay(context, config.relay)
  const address = await server.listen(config.process.host, config.process.port)
  relay.start()

  return {
    address,
    ready: async () => (await db.rows({ text: 'select 1' }, [])).length === 1,
    async stopTaking() {
      await Promise.all([server.stopTaking(), relay.stop()])
    },
    async close() {
      server.close()
      roll.close()
      redis.disconnect()
      await db.close()
    },
  }
}

function addHandlers(server: ReturnType<typeof createRpcServer>, scope: RpcScope, context: Context): void {
  const handler = <Request, R extends Refusable>(
    method: string,
    handle: (context: Context, request: Request) => Promise<R>,
  ) => unary(scope, method, (request: Request) => answer(handle(context, request)))

  server.add(membershipV1.Authentication.service, {
    AuthenticateKey: handler('Authentication.AuthenticateKey', authenticateKey),
    AuthenticateToken: handler('Authentication.AuthenticateToken', authenticateToken),
  })
  server.add(membershipV1.Operator.service, {
    CreateAccount: handler('Operator.CreateAccount', createAccount),
    RecoverToken: handler('Operator.RecoverToken', recoverToken),
    ImportLegacyKey: handler('Operator.ImportLegacyKey', importLegacyKey),
    DescribeOwner: handler('Operator.DescribeOwner', describeOwner),
    ListMails: handler('Operator.ListMails', listMails),
  })
  server.add(
    membershipV1.Accounts.service,
    Object.fromEntries(
      Object.entries(accounts).map(([name, handle]) => [name, handler(`Accounts.${name}`, withAccount(handle))]),
    ),
  )
}

/** The operator's command line sends an account id as it was typed. */
function withAccount<R>(handle: (context: Context, request: AccountRequest) => Promise<R>) {
  return async (context: Context, request: AccountRequest): Promise<R> =>
    handle(context, { ...request, account_id: readId(request.account_id, noSuch('account')) })
}
