import type { GetChangesRequest } from '@worlds/proto/generated/worlds/changefeed/v1/GetChangesRequest'
import type { BulkRequest } from '@worlds/proto/generated/worlds/element/v1/BulkRequest'
import type { CountTypingsRequest } from '@worlds/proto/generated/worlds/element/v1/CountTypingsRequest'
import type { CreateElementRequest } from '@worlds/proto/generated/worlds/element/v1/CreateElementRequest'
import type { DeleteElementRequest } from '@worlds/proto/generated/worlds/element/v1/DeleteElementRequest'
import type { EditLinksRequest } from '@worlds/proto/generated/worlds/element/v1/EditLinksRequest'
import type { GetElementRequest } from '@worlds/proto/generated/worlds/element/v1/GetElementRequest'
import type { GetWorldRequest } from '@worlds/proto/generated/worlds/element/v1/GetWorldRequest'
import type { ListElementsRequest } from '@worlds/proto/generated/worlds/element/v1/ListElementsRequest'
import type { PatchWorldRequest } from '@worlds/proto/generated/worlds/element/v1/PatchWorldRequest'
import type { ReadElementsRequest } from '@worlds/proto/generated/worlds/element/v1/ReadElementsRequest'
import type { RosterRequest } from '@worlds/proto/generated/worlds/element/v1/RosterRequest'
import type { SearchElementsRequest } from '@worlds/proto/generated/worlds/element/v1/SearchElementsRequest'
import type { SetHiddenRequest } from '@worlds/proto/generated/worlds/element/v1/SetHiddenRequest'
import type { WriteElementRequest } from '@worlds/proto/generated/worlds/element/v1/WriteElementRequest'
import type { CreateTicketRequest } from '@worlds/proto/generated/worlds/file/v1/CreateTicketRequest'
import type { ElementFilesRequest } from '@worlds/proto/generated/worlds/file/v1/ElementFilesRequest'
import type { FileRequest } from '@worlds/proto/generated/worlds/file/v1/FileRequest'
import type { ImageRequest } from '@worlds/proto/generated/worlds/file/v1/ImageRequest'
import type { WorldFilesRequest } from '@worlds/proto/generated/worlds/file/v1/WorldFilesRequest'
import type { AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import { changeFeedV1, elementV1, fileV1, membershipV1 } from '@worlds/proto/load'
import { type CallSettings, RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import type { TlsFiles } from '@worlds/runtime/tls'

export interface ClientsConfig {
  readonly elementAddresses: readonly string[]
  readonly membershipAddresses: readonly string[]
  readonly changeFeedAddresses: readonly string[]
  /** None where uploads are not configured. */
  readonly fileAddresses: readonly string[]
  readonly serviceToken: string
  readonly tls: TlsFiles | null
  readonly callDeadlineMs: number
}

export type Clients = ReturnType<typeof createClients>

type InWorld = { principal?: { world_id?: string } | null }

/** The account operations that only read, and so may be repeated. */
type AccountRead =
  | 'GetAccount'
  | 'ListTokens'
  | 'ListWorlds'
  | 'GetWorld'
  | 'ListKeys'
  | 'ListWatched'
  | 'ListMembers'
  | 'ListInvites'
  | 'ListLinks'
  | 'ListSeats'
type AccountWrite =
  | 'UpdateAccount'
  | 'CreateToken'
  | 'RevokeToken'
  | 'CreateWorld'
  | 'UpdateWorld'
  | 'DeleteWorld'
  | 'CreateKey'
  | 'RevokeKey'
  | 'AddEmail'
  | 'VerifyEmail'
  | 'AddWatched'
  | 'RemoveWatched'
  | 'DeleteAccount'
  | 'UpdateMember'
  | 'RemoveMember'
  | 'LeaveWorld'
  | 'CreateInvite'
  | 'CancelInvite'
  | 'AcceptInvite'
  | 'RefuseInvite'
  | 'CreateLink'
  | 'RevokeLink'
  | 'CreateSeat'
  | 'RemoveSeat'

/** Every call that the gateway makes, each a function from request to reply. */
export function createClients(config: ClientsConfig) {
  const { elementAddresses, membershipAddresses, changeFeedAddresses, fileAddresses } = config
  const { serviceToken, tls, callDeadlineMs } = config
  const element = new RpcPeer(elementAddresses, serviceToken, { tls })
  const changeFeed = new RpcPeer(changeFeedAddresses, serviceToken, { tls })
  const membership = new RpcPeer(membershipAddresses, serviceToken, { tls })
  const file = new RpcPeer(fileAddresses, serviceToken, { tls })
  const elements = new RpcClient(elementV1.Elements, element)
  const worlds = new RpcClient(elementV1.Worlds, element)
  const roll = new RpcClient(elementV1.Roll, element)
  const feed = new RpcClient(changeFeedV1.ChangeFeed, changeFeed)
  const authentication = new RpcClient(membershipV1.Authentication, membership)
  const accounts = new RpcClient(membershipV1.Accounts, membership)
  const operator = new RpcClient(membershipV1.Operator, membership)
  const joining = new RpcClient(membershipV1.Joining, membership)
  const sharing = new RpcClient(membershipV1.Sharing, membership)
  const allowance = new RpcClient(membershipV1.Allowance, membership)
  const people = new RpcClient(membershipV1.People, membership)
  const files = new RpcClient(fileV1.Files, file)
  const images = new RpcClient(fileV1.Images, file)

  // A world's calls go to one replica of element, which then is nearly always its only writer.
  const settings = (affinity: string, repeatable: boolean): CallSettings => ({
    deadlineMs: callDeadlineMs,
    affinity,
    repeatable,
  })
  const inWorld = ({ principal }: InWorld, repeatable: boolean) => settings(principal?.world_id ?? '', repeatable)
  const account = (operation: AccountRead | AccountWrite, request: AccountRequest, repeatable: boolean) =>
    accounts.unary(operation, request, settings(request.account_id ?? '', repeatable))

  return {
    getElement: (request: GetElementRequest) => elements.unary('GetElement', request, inWorld(request, true)),
    listElements: (request: ListElementsRequest, signal: AbortSignal) =>
      elements.read('ListElements', request, inWorld(request, true), signal),
    listIds: (request: ListElementsRequest, signal: AbortSignal) =>
      elements.parts('ListIds', request, inWorld(request, true), signal),
    readElements: (request: ReadElementsRequest, signal: AbortSignal) =>
      elements.read('ReadElements', request, inWorld(request, true), signal),
    searchElements: (request: SearchElementsRequest) =>
      elements.unary('SearchElements', request, inWorld(request, true)),
    countTypings: (request: CountTypingsRequest) => elements.unary('CountTypings', request, inWorld(request, true)),
    createElement: (request: CreateElementRequest) =>
      elements.unary('CreateElement', request, inWorld(request, request.idempotency_key !== '')),
    putElement: (request: WriteElementRequest) => elements.unary('PutElement', request, inWorld(request, false)),
    patchElement: (request: WriteElementRequest) => elements.unary('PatchElement', request, inWorld(request, false)),
    deleteElement: (request: DeleteElementRequest) => elements.unary('DeleteElement', request, inWorld(request, false)),
    editLinks: (request: EditLinksRequest) => elements.unary('EditLinks', request, inWorld(request, false)),
    setHidden: (request: SetHiddenRequest) => elements.unary('SetHidden', request, inWorld(request, true)),
    bulk: (request: BulkRequest) => elements.unary('Bulk', request, inWorld(request, request.idempotency_key !== '')),
    getWorld: (request: GetWorldRequest) => worlds.unary('GetWorld', request, inWorld(request, true)),
    patchWorld: (request: PatchWorldRequest) => worlds.unary('PatchWorld', request, inWorld(request, false)),
    getMe: (request: RosterRequest) => worlds.unary('GetMe', request, inWorld(request, true)),
    listHidden: (request: RosterRequest) => worlds.unary('ListHidden', request, inWorld(request, true)),
    listMembers: (request: RosterRequest) => worlds.unary('ListMembers', request, inWorld(request, true)),
    getStanding: (request: RosterRequest) => worlds.unary('GetStanding', request, inWorld(request, true)),
    getChanges: (request: GetChangesRequest, signal: AbortSignal) =>
      feed.read('GetChanges', request, inWorld(request, true), signal),
    authenticateKey: (digests: string[]) => authentication.unary('AuthenticateKey', { digests }, settings('', true)),
    authenticateToken: (digests: string[]) =>
      authentication.unary('AuthenticateToken', { digests }, settings('', true)),
    reportPinGuessing: (pin_holder: string) =>
      authentication.unary('ReportPinGuessing', { pin_holder }, settings('', true)),
    readAccount: (operation: AccountRead, request: AccountRequest) => account(operation, request, true),
    writeAccount: (operation: AccountWrite, request: AccountRequest) => account(operation, request, false),
    previewJoin: (body: Buffer) => joining.unary('PreviewJoin', { body }, settings('', true)),
    join: (body: Buffer) => joining.unary('Join', { body }, settings('', false)),
    countSharing: (world_id: string) => sharing.unary('CountSharing', { world_id }, settings('', true)),
    getTokens: (account_id: string) => allowance.unary('GetTokens', { account_id }, settings('', true)),
    consumeTokens: (account_id: string, body: Buffer) =>
      allowance.unary('ConsumeTokens', { account_id, body }, settings('', false)),
    hasFiles: fileAddresses.length > 0,
    listFiles: (request: ElementFilesRequest, signal: AbortSignal) =>
      files.parts('ListFiles', request, inWorld(request, true), signal),
    listWorldFiles: (request: WorldFilesRequest, signal: AbortSignal) =>
      files.parts('ListWorldFiles', request, inWorld(request, true), signal),
    createFileTicket: (request: CreateTicketRequest) => files.unary('CreateTicket', request, inWorld(request, false)),
    getDownload: (request: FileRequest) => files.unary('GetDownload', request, inWorld(request, true)),
    readFile: (request: FileRequest, signal: AbortSignal) =>
      files.parts('ReadFile', request, inWorld(request, true), signal),
    removeFile: (request: FileRequest) => files.unary('RemoveFile', request, inWorld(request, false)),
    createImageTicket: (request: ImageRequest) => images.unary('CreateImageTicket', request, inWorld(request, false)),
    createRemovalTicket: (request: ImageRequest) =>
      images.unary('CreateRemovalTicket', request, inWorld(request, false)),
    getImageStorage: (account_id: string) => images.unary('GetStorage', { account_id }, settings(account_id, true)),
    /** Of those accounts that still are. */
    nameAccounts: (ids: string[]) => people.unary('NameAccounts', { ids }, settings('', true)),
    /** For development. */
    listMails: () => operator.unary('ListMails', {}, settings('', true)),
    /** Resolves when element reaches its database. */
    probe: () =>
      roll.unary('GetAuthVersions', { world_ids: [] as string[] }, { ...settings('', false), deadlineMs: 3_000 }),
    close() {
      for (const peer of [element, changeFeed, membership, file]) peer.close()
    },
  }
}
