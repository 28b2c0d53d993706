import type { AuthVersions__Output as AuthVersions } from '@worlds/proto/generated/worlds/element/v1/AuthVersions'
import type { DescribeWorldsReply__Output as Described } from '@worlds/proto/generated/worlds/element/v1/DescribeWorldsReply'
import type { RollClient } from '@worlds/proto/generated/worlds/element/v1/Roll'
import type { UpdateWorldRequest } from '@worlds/proto/generated/worlds/element/v1/UpdateWorldRequest'
import type { WorldIds } from '@worlds/proto/generated/worlds/element/v1/WorldIds'
import type { WorldSummary__Output as WorldSummary } from '@worlds/proto/generated/worlds/element/v1/WorldSummary'
import { elementV1 } from '@worlds/proto/load'
import { type CallSettings, isAway, RpcClient } from '@worlds/runtime/rpc-client'
import { UnavailableError } from '@worlds/runtime/rpc-server'

/** Element, as far as membership asks it. Every call is idempotent, so each may be repeated. */
export class Roll {
  readonly #client: RpcClient<RollClient>

  constructor(addresses: readonly string[], serviceToken: string) {
    this.#client = new RpcClient<RollClient>(elementV1.Roll, addresses, serviceToken)
  }

  async openWorld(worldId: string, name: string): Promise<void> {
    const request = { world_id: worldId, name }
    await attempt(this.#client.unary((client) => client.OpenWorld, request, settings(worldId)))
  }

  /** Nothing when element knows no such world, or has closed it. */
  async updateWorld(request: UpdateWorldRequest & { world_id: string }): Promise<WorldSummary | undefined> {
    const call = this.#client.unary<UpdateWorldRequest, WorldSummary>(
      (client) => client.UpdateWorld,
      request,
      settings(request.world_id),
    )
    const world = await attempt(call)
    return world.world_id === '' ? undefined : world
  }

  async closeWorld(worldId: string): Promise<void> {
    await attempt(this.#client.unary((client) => client.CloseWorld, { world_id: worldId }, settings(worldId)))
  }

  async describeWorlds(worldIds: string[]): Promise<Map<string, WorldSummary>> {
    const [first] = worldIds
    if (first === undefined) return new Map()
    const call = this.#client.unary<WorldIds, Described>(
      (client) => client.DescribeWorlds,
      { world_ids: worldIds },
      settings(first),
    )
    const { worlds } = await attempt(call)
    return new Map(worlds.map((world) => [world.world_id, world]))
  }

  async raiseAuthVersions(worldIds: string[]): Promise<void> {
    const [first] = worldIds
    if (first === undefined) return
    await attempt(this.#client.unary((client) => client.RaiseAuthVersions, { world_ids: worldIds }, settings(first)))
  }

  /** Nothing when element knows no such world, or has closed it. */
  async authVersion(worldId: string): Promise<number | undefined> {
    const request = { world_ids: [worldId] }
    const call = this.#client.unary<WorldIds, AuthVersions>(
      (client) => client.GetAuthVersions,
      request,
      settings(worldId),
    )
    const { versions } = await attempt(call)
    return versions[worldId]
  }

  close(): void {
    this.#client.close()
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
