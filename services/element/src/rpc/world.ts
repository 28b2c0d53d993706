import { createHash } from 'node:crypto'
import { readJson } from '@worlds/domain/json-input'
import { readWorldPatch } from '@worlds/domain/world-input'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { GetWorldRequest__Output } from '@worlds/proto/generated/worlds/element/v1/GetWorldRequest'
import type { PatchWorldRequest__Output } from '@worlds/proto/generated/worlds/element/v1/PatchWorldRequest'
import { showWorld } from '../domain/decide-world'
import { readWorld } from '../store/worlds'
import { actorOf, isCurrent, principalOf, reply } from './reply'
import type { Scope } from './scope'

export const getWorld =
  ({ database }: Scope) =>
  async (request: GetWorldRequest__Output): Promise<Reply> => {
    const principal = principalOf(request)
    const found = await readWorld(database, principal.world_id)
    if (found.record === null || !isCurrent(principal, found)) return { ask_again: true }
    const body = showWorld(principal.world_id, found.record)
    const etag = etagOf(body)
    if (matchesEtag(request.if_none_match, etag)) return { body: Buffer.alloc(0), status: 304, etag }
    return { body: Buffer.from(body), status: 200, etag }
  }

export const patchWorld =
  (scope: Scope) =>
  (request: PatchWorldRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const patch = readWorldPatch(readJson(request.body).value)
      const write = { actor: actorOf(principal), intent: { kind: 'world', patch } as const, receipt: null }
      return scope.submit(principal.world_id, write)
    })

/** Made from what the reader is shown, so that it differs for one who sees less (B15). */
function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}

function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((candidate) => {
    const tag = candidate.trim().replace(/^W\//, '')
    return tag === '*' || tag === etag
  })
}
