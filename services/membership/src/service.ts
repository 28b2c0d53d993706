import { noSuch } from '@worlds/domain/errors'
import type { AccountIds__Output as AccountIds } from '@worlds/proto/generated/worlds/membership/v1/AccountIds'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { CountSharingRequest__Output as CountSharingRequest } from '@worlds/proto/generated/worlds/membership/v1/CountSharingRequest'
import type { PinGuessing__Output as PinGuessing } from '@worlds/proto/generated/worlds/membership/v1/PinGuessing'
import { membershipV1 } from '@worlds/proto/load'
import { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import { type Metrics, watchAge } from '@worlds/runtime/metrics'
import { type RpcScope, unary } from '@worlds/runtime/operation'
import { PinGuard } from '@worlds/runtime/pin-guard'
import { createDatabase } from '@worlds/runtime/postgres'
import type { Service } from '@worlds/runtime/process'
import { Producer } from '@worlds/runtime/queue-ends'
import { createRedis, firstConnection } from '@worlds/runtime/redis'
import { orRefusal, type Refusable } from '@worlds/runtime/refusals'
import { isMigrated } from '@worlds/runtime/required-schema'
import { createRpcServer } from '@worlds/runtime/rpc-server'
import type { Config } from './config'
import type { Context } from './context'
import { readId } from './domain/ids'
import { createMailer } from './mail/mailer'
import { Relay } from './relay'
import { Roll } from './roll'
import { accountOperations } from './rpc/account-operations'
import { authenticateKey } from './rpc/authenticate-key'
import { authenticateToken } from './rpc/authenticate-token'
import { consumeTokens } from './rpc/consume-tokens'
import { countSharing } from './rpc/count-sharing'
import { createAccount } from './rpc/create-account'
import { describeOwner } from './rpc/describe-owner'
import { getTokens } from './rpc/get-tokens'
import { importLegacyKey } from './rpc/import-legacy-key'
import { join } from './rpc/join'
import { listMails } from './rpc/list-mails'
import { nameAccounts } from './rpc/name-accounts'
import { previewJoin } from './rpc/preview-join'
import { recoverToken } from './rpc/recover-token'
import { reportPinGuessing } from './rpc/report-pin-guessing'
import { ageOfOutbox } from './store/outbox'

export async function createMembership(config: Config, log: Log, metrics: Metrics): Promise<Service> {
  const db = createDatabase(config.database, log)
  const accountDeleted = new Producer(config.redisUrl, config.redisPrefix, 'account-deleted', log)
  const redis = createRedis(config.redisUrl, config.redisPrefix, log)
  await firstConnection(redis, 2_000)
  const roll = new Roll(config.elementAddresses, config.process)
  const context: Context = {
    log,
    db,
    roll,
    pinGuard: new PinGuard(redis, config.pinGuard),
    peppers: config.peppers,
    failpoints: new Failpoints(config.failpoints),
    accountDeleted,
    mailer: createMailer(config.mail, log, db),
    mailLimits: config.mailLimits,
    emailTokenLifeMs: config.emailTokenLifeMs,
    portalUrl: config.portalUrl,
    apiUrl: config.apiUrl,
    tokenRating: config.tokenRating,
    outboxLeaseMs: config.relay.leaseMs,
  }
  const server = createRpcServer(config.process.serviceToken, config.maxConnectionAgeMs, config.process.tls)
  addHandlers(server, { log, metrics }, context)
  const relay = new Relay(context, config.relay)
  const address = await server.listen(config.process.host, config.process.port)
  relay.start()
  watchAge(metrics, 'membership_outbox_age_seconds', 'Age of the oldest errand that is not done.', () =>
    ageOfOutbox(db),
  )

  return {
    address,
    ready: () => isMigrated(db, 'membership'),
    async stopTaking() {
      await Promise.all([server.stopTaking(), relay.stop()])
    },
    async close() {
      await accountDeleted.close()
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
  ) => unary(scope, method, (request: Request) => orRefusal(() => handle(context, request)))

  server.add(membershipV1.Authentication.service, {
    AuthenticateKey: handler('Authentication.AuthenticateKey', authenticateKey),
    AuthenticateToken: handler('Authentication.AuthenticateToken', authenticateToken),
    ReportPinGuessing: unary(scope, 'Authentication.ReportPinGuessing', (request: PinGuessing) =>
      reportPinGuessing(context, request),
    ),
  })
  server.add(membershipV1.Joining.service, {
    PreviewJoin: handler('Joining.PreviewJoin', previewJoin),
    Join: handler('Joining.Join', join),
  })
  server.add(membershipV1.Sharing.service, {
    CountSharing: unary(scope, 'Sharing.CountSharing', (request: CountSharingRequest) =>
      countSharing(context, request),
    ),
  })
  server.add(membershipV1.People.service, {
    NameAccounts: unary(scope, 'People.NameAccounts', (request: AccountIds) => nameAccounts(context, request)),
  })
  server.add(membershipV1.Allowance.service, {
    GetTokens: handler('Allowance.GetTokens', getTokens),
    ConsumeTokens: handler('Allowance.ConsumeTokens', consumeTokens),
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
      Object.entries(accountOperations).map(([name, handle]) => [
        name,
        handler(`Accounts.${name}`, withAccount(handle)),
      ]),
    ),
  )
}

/** The operator's command line sends an account id as it was typed. */
function withAccount<R>(handle: (context: Context, request: AccountRequest) => Promise<R>) {
  return async (context: Context, request: AccountRequest): Promise<R> =>
    handle(context, { ...request, account_id: readId(request.account_id, noSuch('account')) })
}
