import type { AddMemberRequest } from '@worlds/proto/generated/worlds/element/v1/AddMemberRequest'
import type { ElementsDefinition } from '@worlds/proto/generated/worlds/element/v1/Elements'
import type { MemberRef } from '@worlds/proto/generated/worlds/element/v1/MemberRef'
import type { RollDefinition } from '@worlds/proto/generated/worlds/element/v1/Roll'
import type { RollMember__Output as RollMember } from '@worlds/proto/generated/worlds/element/v1/RollMember'
import type { UpdateMemberRequest } from '@worlds/proto/generated/worlds/element/v1/UpdateMemberRequest'
import type { UpdateWorldRequest } from '@worlds/proto/generated/worlds/element/v1/UpdateWorldRequest'
import type { WorldSummary__Output as WorldSummary } from '@worlds/proto/generated/worlds/element/v1/WorldSummary'
import { elementV1 } from '@worlds/proto/load'
import type { ProcessConfig } from '@worlds/runtime/config'
import { UnavailableError } from '@worlds/runtime/operation'
import { type CallSettings, isAway, RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { type MemberOrRefusal, memberOf } from './roll-reply'

/** Element, as far as membership asks it. Every call is idempotent, so each may be repeated. */
export class Roll {
  readonly #peer: RpcPeer
  readonly #client: RpcClient<RollDefinition>
  readonly #elements: RpcClient<ElementsDefinition>

  constructor(addresses: readonly string[], { serviceToken, tls }: Pick<ProcessConfig, 'serviceToken' | 'tls'>) {
    this.#peer = new RpcPeer(addresses, serviceToken, { tls })
    this.#client = new RpcClient(elementV1.Roll, this.#peer)
    this.#elements = new RpcClient(elementV1.Elements, this.#peer)
  }

  async openWorld(worldId: string, name: string): Promise<void> {
    const request = { world_id: worldId, name }
    await attempt(this.#client.unary('OpenWorld', request, settings(worldId)))
  }

  /** Nothing when element knows no such world, or has closed it. */
  async updateWorld(request: UpdateWorldRequest & { world_id: string }): Promise<WorldSummary | undefined> {
    const call = this.#client.unary('UpdateWorld', request, settings(request.world_id))
    const world = await attempt(call)
    return world.world_id === '' ? undefined : world
  }

  async closeWorld(worldId: string): Promise<void> {
    await attempt(this.#client.unary('CloseWorld', { world_id: worldId }, settings(worldId)))
  }

  async describeWorlds(worldIds: string[]): Promise<Map<string, WorldSummary>> {
    const [first] = worldIds
    if (first === undefined) return new Map()
    const call = this.#client.unary('DescribeWorlds', { world_ids: worldIds }, settings(first))
    const { worlds } = await attempt(call)
    return new Map(worlds.map((world) => [world.world_id, world]))
  }

  async raiseAuthVersions(worldIds: string[]): Promise<void> {
    const [first] = worldIds
    if (first === undefined) return
    await attempt(this.#client.unary('RaiseAuthVersions', { world_ids: worldIds }, settings(first)))
  }

  /** Nothing when element knows no such world, or has closed it. */
  async authVersion(worldId: string): Promise<number | undefined> {
    const request = { world_ids: [worldId] }
    const call = this.#client.unary('GetAuthVersions', request, settings(worldId))
    const { versions } = await attempt(call)
    return versions[worldId]
  }

  /** A member that is on the roll already is answered as it stands. */
  async addMember(request: InWorld<AddMemberRequest>): Promise<MemberOrRefusal> {
    return memberOf(await attempt(this.#client.unary('AddMember', request, settings(request.world_id))))
  }

  async updateMember(request: InWorld<UpdateMemberRequest>): Promise<MemberOrRefusal> {
    return memberOf(await attempt(this.#client.unary('UpdateMember', request, settings(request.world_id))))
  }

  /** A world that is closed, or a member that it never had, has nothing to be removed. */
  async removeMember(worldId: string, memberId: string): Promise<void> {
    const request = { world_id: worldId, member_id: memberId }
    await attempt(this.#client.unary('RemoveMember', request, settings(worldId)))
  }

  async forgetMember(worldId: string, memberId: string): Promise<void> {
    const request = { world_id: worldId, member_id: memberId }
    await attempt(this.#client.unary('ForgetMember', request, settings(worldId)))
  }

  /** As a member, `public`, or '' for the owner sees it; nothing when there is no such world or reader. */
  async read(worldId: string, as: string): Promise<RollMember[] | undefined> {
    const call = this.#client.unary('ReadRoll', { world_id: worldId, as }, settings(worldId))
    const { members, refusal } = await attempt(call)
    return refusal === null || refusal === undefined ? members : undefined
  }

  /** By member id, without those that element does not know. */
  async describeMembers(members: (MemberRef & { world_id: string })[]): Promise<Map<string, RollMember>> {
    const [first] = members
    if (first === undefined) return new Map()
    const call = this.#client.unary('DescribeMembers', { members }, settings(first.world_id))
    const reply = await attempt(call)
    return new Map(reply.members.map((member) => [member.id, member]))
  }

  /** Whether the id names a Character of the world that is not hidden. */
  async hasCharacter(worldId: string, owner: string, id: string): Promise<boolean> {
    for (let round = 1; round <= 4; round += 1) {
      const version = await this.authVersion(worldId)
      if (version === undefined) return false
      const facts = { world_id: worldId, kind: 'owner', scope: 'read', membership: '', account: owner }
      const principal = { ...facts, auth_version: version }
      const request = { principal, type: 'character', id, as: 'public' }
      const reply = await attempt(this.#elements.unary('GetElement', request, settings(worldId)))
      if (!reply.ask_again) return reply.refusal === null || reply.refusal === undefined
    }
    throw new UnavailableError('the world changes too fast')
  }

  close(): void {
    this.#peer.close()
  }
}

type InWorld<Request> = Request & { world_id: string }

function settings(worldId: string): CallSettings {
  return { deadlineMs: 5_000, affinity: worldId, repeatable: true }
}

/** While element is away, membership is: whoever asked is told so and may try again. */
async function attempt<Reply>(call: Promise<Reply>): Promise<Reply> {
  try {
    return await call
  } catch (error) {
    throw isAway(error) ? new UnavailableError('element is away', { cause: error }) : error
  }
}
