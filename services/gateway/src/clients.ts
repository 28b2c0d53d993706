import type { GetChangesRequest } from '@worlds/proto/generated/worlds/changefeed/v1/GetChangesRequest'
import type { ChangesPart__Output } from '@worlds/proto/generated/worlds/changefeed/v1/ChangesPart'
import type { Reply__Output } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { BulkRequest } from '@worlds/proto/generated/worlds/element/v1/BulkRequest'
import type { CreateElementRequest } from '@worlds/proto/generated/worlds/element/v1/CreateElementRequest'
import type { DeleteElementRequest } from '@worlds/proto/generated/worlds/element/v1/DeleteElementRequest'
import type { EditLinksRequest } from '@worlds/proto/generated/worlds/element/v1/EditLinksRequest'
import type { GetElementRequest } from '@worlds/proto/generated/worlds/element/v1/GetElementRequest'
import type { GetWorldRequest } from '@worlds/proto/generated/worlds/element/v1/GetWorldRequest'
import type { ListElementsRequest } from '@worlds/proto/generated/worlds/element/v1/ListElementsRequest'
import type { PagePart__Output } from '@worlds/proto/generated/worlds/element/v1/PagePart'
import type { PatchWorldRequest } from '@worlds/proto/generated/worlds/element/v1/PatchWorldRequest'
import type { RosterRequest } from '@worlds/proto/generated/worlds/element/v1/RosterRequest'
import type { WriteElementRequest } from '@worlds/proto/generated/worlds/element/v1/WriteElementRequest'
import type { AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { KeyReply__Output } from '@worlds/proto/generated/worlds/membership/v1/KeyReply'
import type { TokenReply__Output } from '@worlds/proto/generated/worlds/membership/v1/TokenReply'
import { changeFeedV1, elementV1, membershipV1 } from '@worlds/proto/load'
import { type CallSettings, RpcClient } from '@worlds/runtime/rpc-client'

export interface ClientsConfig {
  readonly elementAddresses: readonly string[]
  readonly membershipAddresses: readonly string[]
  readonly changeFeedAddresses: readonly string[]
  readonly serviceToken: string
  readonly callDeadlineMs: number
}

export type Clients = ReturnType<typeof createClients>

type InWorld = { principal?: { world_id?: string } | null }

/** The account operations that only read, and so may be repeated. */
type AccountRead = 'GetAccount' | 'ListTokens' | 'ListWorlds' | 'GetWorld' | 'ListKeys'
type AccountWrite =
  | 'UpdateAccount'
  | 'CreateToken'
  | 'RevokeToken'
  | 'CreateWorld'
  | 'UpdateWorld'
  | 'DeleteWorld'
  | 'CreateKey'
  | 'RevokeKey'

/** Every call that the gateway makes, each a function from request to reply. */
export function createClients(config: ClientsConfig) {
  const { elementAddresses, membershipAddresses, changeFeedAddresses, serviceToken, callDeadlineMs } = config
  const elements = new RpcClient(elementV1.Elements, elementAddresses, serviceToken)
  const worlds = new RpcClient(elementV1.Worlds, elementAddresses, serviceToken)
  const roll = new RpcClient(elementV1.Roll, elementAddresses, serviceToken)
  const feed = new RpcClient(changeFeedV1.ChangeFeed, changeFeedAddresses, serviceToken)
  const authentication = new RpcClient(membershipV1.Authentication, membershipAddresses, serviceToken)
  const accounts = new RpcClient(membershipV1.Accounts, membershipAddresses, serviceToken)

  // A world's calls go to one replica of element, which then is nearly always its only writer.
  const settings = (affinity: string, repeatable: boolean): CallSettings => ({
    deadlineMs: callDeadlineMs,
    affinity,
    repeatable,
  })
  const inWorld = ({ principal }: InWorld, repeatable: boolean) => settings(principal?.world_id ?? '', repeatable)
  const account = (operation: AccountRead | AccountWrite, request: AccountRequest, repeatable: boolean) =>
    accounts.unary<AccountRequest, Reply__Output>(
      (client) => client[operation],
      request,
      settings(request.account_id ?? '', repeatable),
    )

  return {
    getElement: (request: GetElementRequest) =>
      elements.unary<GetElementRequest, Reply__Output>((c) => c.GetElement, request, inWorld(request, true)),
    listElements: (request: ListElementsRequest, signal: AbortSignal) =>
      elements.parts<ListElementsRequest, PagePart__Output>(
        (c) => c.ListElements,
        request,
        inWorld(request, true),
        signal,
      ),
    createElement: (request: CreateElementRequest) =>
      elements.unary<CreateElementRequest, Reply__Output>(
        (c) => c.CreateElement,
        request,
        inWorld(request, request.idempotency_key !== ''),
      ),
    putElement: (request: WriteElementRequest) =>
      elements.unary<WriteElementRequest, Reply__Output>((c) => c.PutElement, request, inWorld(request, false)),
    patchElement: (request: WriteElementRequest) =>
      elements.unary<WriteElementRequest, Reply__Output>((c) => c.PatchElement, request, inWorld(request, false)),
    deleteElement: (request: DeleteElementRequest) =>
      elements.unary<DeleteElementRequest, Reply__Output>((c) => c.DeleteElement, request, inWorld(request, false)),
    editLinks: (request: EditLinksRequest) =>
      elements.unary<EditLinksRequest, Reply__Output>((c) => c.EditLinks, request, inWorld(request, false)),
    bulk: (request: BulkRequest) =>
      elements.unary<BulkRequest, Reply__Output>((c) => c.Bulk, request, inWorld(request, request.idempotency_key !== '')),
    getWorld: (request: GetWorldRequest) =>
      worlds.unary<GetWorldRequest, Reply__Output>((c) => c.GetWorld, request, inWorld(request, true)),
    patchWorld: (request: PatchWorldRequest) =>
      worlds.unary<PatchWorldRequest, Reply__Output>((c) => c.PatchWorld, request, inWorld(request, false)),
    getMe: (request: RosterRequest) =>
      worlds.unary<RosterRequest, Reply__Output>((c) => c.GetMe, request, inWorld(request, true)),
    listMembers: (request: RosterRequest) =>
      worlds.unary<RosterRequest, Reply__Output>((c) => c.ListMembers, request, inWorld(request, true)),
    getChanges: (request: GetChangesRequest, signal: AbortSignal) =>
      feed.parts<GetChangesRequest, ChangesPart__Output>((c) => c.GetChanges, request, inWorld(request, true), signal),
    authenticateKey: (digests: string[]) =>
      authentication.unary<{ digests: string[] }, KeyReply__Output>(
        (c) => c.AuthenticateKey,
        { digests },
        settings('', true),
      ),
    authenticateToken: (digests: string[]) =>
      authentication.unary<{ digests: string[] }, TokenReply__Output>(
        (c) => c.AuthenticateToken,
        { digests },
        settings('', true),
      ),
    readAccount: (operation: AccountRead, request: AccountRequest) => account(operation, request, true),
    writeAccount: (operation: AccountWrite, request: AccountRequest) => account(operation, request, false),
    /** Resolves when element reaches its database. */
    probe: () =>
      roll.unary((c) => c.GetAuthVersions, { world_ids: [] as string[] }, { ...settings('', false), deadlineMs: 3_000 }),
    close() {
      for (const client of [elements, worlds, roll, feed, authentication, accounts]) client.close()
    },
  }
}
