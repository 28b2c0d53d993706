import { refuseUnknown } from '@worlds/domain/query'
import type { Reply__Output } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { Answer } from '../http/answer'
import { toAnswer } from './reply'
import type { AccountCall, AccountRoute } from './route'

type Read = Parameters<AccountCall['clients']['readAccount']>[0]
type Write = Parameters<AccountCall['clients']['writeAccount']>[0]

const root = '/api/v2/account'

export const accountRoutes: readonly AccountRoute[] = [
  withImages('get', root, (call, request) => call.clients.readAccount('GetAccount', request)),
  withImages('patch', root, (call, request) => call.clients.writeAccount('UpdateAccount', request)),
  write('delete', root, 'DeleteAccount'),
  read(`${root}/tokens`, 'ListTokens'),
  write('post', `${root}/tokens`, 'CreateToken'),
  write('delete', `${root}/tokens/:id`, 'RevokeToken'),
  read(`${root}/worlds`, 'ListWorlds'),
  write('post', `${root}/worlds`, 'CreateWorld'),
  read(`${root}/worlds/:world`, 'GetWorld'),
  write('patch', `${root}/worlds/:world`, 'UpdateWorld'),
  write('delete', `${root}/worlds/:world`, 'DeleteWorld'),
  read(`${root}/worlds/:world/keys`, 'ListKeys'),
  write('post', `${root}/worlds/:world/keys`, 'CreateKey'),
  write('delete', `${root}/worlds/:world/keys/:id`, 'RevokeKey'),
  write('post', `${root}/emails`, 'AddEmail'),
  withImages('post', `${root}/emails/verify`, (call, request) => call.clients.writeAccount('VerifyEmail', request)),
  read(`${root}/watched`, 'ListWatched'),
  write('post', `${root}/watched`, 'AddWatched'),
  write('delete', `${root}/watched/:id`, 'RemoveWatched'),
  read(`${root}/worlds/:world/members`, 'ListMembers'),
  write('patch', `${root}/worlds/:world/members/:id`, 'UpdateMember'),
  write('delete', `${root}/worlds/:world/members/:id`, 'RemoveMember'),
  write('post', `${root}/worlds/:world/leave`, 'LeaveWorld'),
  write('post', `${root}/worlds/:world/invites`, 'CreateInvite'),
  write('delete', `${root}/worlds/:world/invites/:id`, 'CancelInvite'),
  read(`${root}/invites`, 'ListInvites'),
  write('post', `${root}/invites/:id/accept`, 'AcceptInvite'),
  write('post', `${root}/invites/:id/refuse`, 'RefuseInvite'),
  read(`${root}/worlds/:world/links`, 'ListLinks'),
  write('post', `${root}/worlds/:world/links`, 'CreateLink'),
  write('delete', `${root}/worlds/:world/links/:id`, 'RevokeLink'),
  read(`${root}/worlds/:world/seats`, 'ListSeats'),
  write('post', `${root}/worlds/:world/seats`, 'CreateSeat'),
  write('delete', `${root}/worlds/:world/seats/:id`, 'RemoveSeat'),
]

/** A route that shows the account itself. */
function withImages(
  method: AccountRoute['method'],
  path: string,
  ask: (call: AccountCall, request: ReturnType<typeof requestOf>) => Promise<Reply__Output>,
): AccountRoute {
  return {
    method,
    path,
    access: 'account',
    async handle(call) {
      refuseUnknown(call.query, [])
      const body = method === 'get' ? Buffer.alloc(0) : await call.body()
      return toAnswer(await ask(call, { ...requestOf(call, body), ...(await imageStorage(call)) }))
    },
  }
}

/** What the account's images take, which the file service knows; nothing where there is none. */
async function imageStorage({ clients, accountId }: AccountCall) {
  if (!clients.hasFiles) return {}
  const { used_bytes, cap_bytes } = await clients.getImageStorage(accountId)
  return { image_bytes_used: used_bytes, image_bytes_cap: cap_bytes }
}

function read(path: string, operation: Read): AccountRoute {
  return {
    method: 'get',
    path,
    access: 'account',
    async handle(call) {
      refuseUnknown(call.query, [])
      return toAnswer(await call.clients.readAccount(operation, requestOf(call, Buffer.alloc(0))))
    },
  }
}

function write(method: AccountRoute['method'], path: string, operation: Write): AccountRoute {
  return {
    method,
    path,
    access: 'account',
    async handle(call): Promise<Answer> {
      refuseUnknown(call.query, [])
      const body = await call.body()
      return toAnswer(await call.clients.writeAccount(operation, requestOf(call, body)))
    },
  }
}

function requestOf({ accountId, address, params }: AccountCall, body: Buffer) {
  return { account_id: accountId, world_id: params.world ?? '', id: params.id ?? '', address, body }
}
