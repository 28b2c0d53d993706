import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { RosterRequest__Output } from '@worlds/proto/generated/worlds/element/v1/RosterRequest'
import type { StandingReply } from '@worlds/proto/generated/worlds/element/v1/StandingReply'
import { orRefusal, principalOf } from '@worlds/runtime/refusals'
import { type RosterRow, readRoster } from '../store/roster'
import { readAs } from './read-as'
import { isCurrent, reply } from './reply'
import type { Scope } from './scope'

export const getMe =
  (scope: Scope) =>
  (request: RosterRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const { world_id: worldId, membership, scope: reach } = principal
      const found = await readAs(scope, principal, '', (reader) =>
        readRoster(scope.database, worldId, reader, membership),
      )
      const [row] = found.rows
      if (!isCurrent(principal, found) || row === undefined) return { kind: 'ask-again' }
      const me = {
        world: { id: worldId, name: found.worldName },
        scope: reach,
        kind: row.kind,
        role: row.role,
        membership: row.id,
        character: row.character,
        ...(row.kind === 'agent' ? { name: row.name } : {}),
      }
      return { kind: 'body', status: 200, body: JSON.stringify(me) }
    })

export const listMembers =
  (scope: Scope) =>
  (request: RosterRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const found = await readAs(scope, principal, '', (reader) =>
        readRoster(scope.database, principal.world_id, reader),
      )
      if (!isCurrent(principal, found)) return { kind: 'ask-again' }
      return { kind: 'body', status: 200, body: JSON.stringify({ data: found.rows.map(shownRow) }) }
    })

/** Whatever tells a person's name stays with membership. */
function shownRow({ id, kind, role, character, status, name }: RosterRow) {
  return { id, kind, role, character, status, ...(kind === 'agent' ? { name } : {}) }
}

export const getStanding =
  (scope: Scope) =>
  (request: RosterRequest__Output): Promise<StandingReply> =>
    orRefusal(async () => {
      const principal = principalOf(request)
      const found = await readAs(scope, principal, '', (reader) =>
        readRoster(scope.database, principal.world_id, reader),
      )
      const own = found.rows.find(({ id }) => (id ?? '') === principal.membership)
      if (!isCurrent(principal, found) || own === undefined) return { ask_again: true }
      const members = found.rows.filter(({ id, status }) => id !== null && status === 'active')
      return { standing: { role: own.role, public_read: found.publicRead, active_members: members.length } }
    })
