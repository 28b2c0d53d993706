import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { RosterRequest__Output } from '@worlds/proto/generated/worlds/element/v1/RosterRequest'
import { readRoll } from '../store/members'
import { isCurrent, principalOf, reply } from './reply'
import type { Scope } from './scope'

export const getMe =
  ({ database }: Scope) =>
  (request: RosterRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const found = await readRoll(database, principal.world_id)
      if (!isCurrent(principal, found)) return { kind: 'ask-again' }
      const me = {
        world: { id: principal.world_id, name: found.worldName },
        scope: principal.scope,
        kind: 'owner',
        role: 'owner',
        membership: null,
        character: found.ownerCharacter,
      }
      return { kind: 'body', status: 200, body: JSON.stringify(me) }
    })

export const listMembers =
  ({ database }: Scope) =>
  (request: RosterRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const found = await readRoll(database, principal.world_id)
      if (!isCurrent(principal, found)) return { kind: 'ask-again' }
      const owner = { id: null, kind: 'owner', role: 'owner', character: found.ownerCharacter, status: 'active' }
      return { kind: 'body', status: 200, body: JSON.stringify({ data: [owner] }) }
    })
