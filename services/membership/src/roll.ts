import type { RollDefinition } from '@worlds/proto/generated/worlds/element/v1/Roll'
import type { UpdateWorldRequest } from '@worlds/proto/generated/worlds/element/v1/UpdateWorldRequest'
import type { WorldSummary__Output as WorldSummary } from '@worlds/proto/generated/worlds/element/v1/WorldSummary'
import { elementV1 } from '@worlds/proto/load'
import { UnavailableError } from '@worlds/runtime/operation'
import { type CallSettings, isAway, RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'

/** Element, as far as membership asks it. Every call is idempotent, so each may be repeated. */
export class Roll {
  readonly #peer: RpcPeer
  readonly #client: RpcClient<RollDefinition>

  constructor(addresses: readonly string[], serviceToken: string) {
    this.#peer = new RpcPeer(addresses, serviceToken)
    this.#client = new RpcClient(elementV1.Roll, this.#peer)
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

  close(): void {
    this.#peer.close()
  }
}

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
