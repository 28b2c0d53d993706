import { createHash } from 'node:crypto'
import { ownerOnly, RefusalError } from '@worlds/domain/errors'
import { readJson } from '@worlds/domain/json-input'
import { readWorldPatch } from '@worlds/domain/world-input'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { GetWorldRequest__Output } from '@worlds/proto/generated/worlds/element/v1/GetWorldRequest'
import type { PatchWorldRequest__Output } from '@worlds/proto/generated/worlds/element/v1/PatchWorldRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { showWorld } from '../domain/decide-world'
import { readWorld } from '../store/worlds'
import { readAs } from './read-as'
import { actorOf, isCurrent, reply } from './reply'
import type { Scope } from './scope'

export const getWorld =
  (scope: Scope) =>
  (request: GetWorldRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const worldId = principal.world_id
      const found = await readAs(scope, principal, '', (reader) => readWorld(scope.database, worldId, reader))
      if (found.record === null || !isCurrent(principal, found)) return { kind: 'ask-again' }
      const body = showWorld(worldId, found.record)
      const etag = etagOf(body)
      const isKnown = matchesEtag(request.if_none_match, etag)
      return { kind: 'body', status: isKnown ? 304 : 200, body: isKnown ? '' : body, etag }
    })

export const patchWorld =
  (scope: Scope) =>
  (request: PatchWorldRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      if (principal.membership !== '') throw new RefusalError(ownerOnly())
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
