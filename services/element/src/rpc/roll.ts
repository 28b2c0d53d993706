/** What membership asks of element about worlds. Every operation is idempotent by the world's id. */
import type { AuthVersions } from '@worlds/proto/generated/worlds/element/v1/AuthVersions'
import type { CloseWorldRequest__Output } from '@worlds/proto/generated/worlds/element/v1/CloseWorldRequest'
import type { DescribeWorldsReply } from '@worlds/proto/generated/worlds/element/v1/DescribeWorldsReply'
import type { DescribeWorldsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/DescribeWorldsRequest'
import type { OpenWorldReply } from '@worlds/proto/generated/worlds/element/v1/OpenWorldReply'
import type { OpenWorldRequest__Output } from '@worlds/proto/generated/worlds/element/v1/OpenWorldRequest'
import type { UpdateWorldRequest__Output } from '@worlds/proto/generated/worlds/element/v1/UpdateWorldRequest'
import type { WorldIds__Output } from '@worlds/proto/generated/worlds/element/v1/WorldIds'
import type { WorldSummary } from '@worlds/proto/generated/worlds/element/v1/WorldSummary'
import * as worlds from '../store/worlds'
import type { Scope } from './scope'

/** Woken when there is work: a world to remove, a member's name to take off what it made, a closed world to tell of. */
export interface RollScope extends Scope {
  readonly purge: { start(): void }
  readonly departures: { start(): void }
  readonly outbox: { wake(): void }
}

export const openWorld =
  ({ database }: Scope) =>
  async ({ world_id, name }: OpenWorldRequest__Output): Promise<OpenWorldReply> => {
    await worlds.openWorld(database, world_id, name)
    const [world] = await worlds.describeWorlds(database, [world_id])
    return { world: world ?? null }
  }

export const updateWorld =
  ({ database }: Scope) =>
  async (request: UpdateWorldRequest__Output): Promise<WorldSummary> => {
    const { world_id, name = null, public_read = null } = request
    const summary = await worlds.updateWorld(database, world_id, name, public_read)
    return summary ?? {}
  }

export const closeWorld =
  ({ database, purge, outbox }: RollScope) =>
  async ({ world_id }: CloseWorldRequest__Output): Promise<object> => {
    await worlds.closeWorld(database, world_id)
    outbox.wake()
    purge.start()
    return {}
  }

export const describeWorlds =
  ({ database }: Scope) =>
  async ({ world_ids }: DescribeWorldsRequest__Output): Promise<DescribeWorldsReply> => ({
    worlds: await worlds.describeWorlds(database, world_ids),
  })

export const raiseAuthVersions =
  ({ database }: Scope) =>
  async ({ world_ids }: WorldIds__Output): Promise<AuthVersions> => ({
    versions: Object.fromEntries(await worlds.raiseAuthVersions(database, world_ids)),
  })

export const getAuthVersions =
  ({ database }: Scope) =>
  async ({ world_ids }: WorldIds__Output): Promise<AuthVersions> => ({
    versions: Object.fromEntries(await worlds.readAuthVersions(database, world_ids)),
  })
