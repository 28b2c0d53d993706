/** What membership asks of element about members. Every operation is idempotent by the member's id. */
import { noSuch, type Refusal } from '@worlds/domain/errors'
import type { AddMemberRequest__Output } from '@worlds/proto/generated/worlds/element/v1/AddMemberRequest'
import type { DescribeMembersRequest__Output } from '@worlds/proto/generated/worlds/element/v1/DescribeMembersRequest'
import type { MemberRef__Output } from '@worlds/proto/generated/worlds/element/v1/MemberRef'
import type { MemberReply } from '@worlds/proto/generated/worlds/element/v1/MemberReply'
import type { ReadRollRequest__Output } from '@worlds/proto/generated/worlds/element/v1/ReadRollRequest'
import type { RollMember } from '@worlds/proto/generated/worlds/element/v1/RollMember'
import type { RollReply } from '@worlds/proto/generated/worlds/element/v1/RollReply'
import type { UpdateMemberRequest__Output } from '@worlds/proto/generated/worlds/element/v1/UpdateMemberRequest'
import { toWire } from '@worlds/runtime/refusals'
import { ownerReader, publicReader } from '@worlds/views/reader'
import { uuidv7 } from 'uuidv7'
import { type RollIntent, service } from '../domain/intent'
import type { Member } from '../domain/roll'
import { departMember } from '../store/departures'
import { type RosterRow, readRoster } from '../store/roster'
import { insertSeatMaker } from '../store/seat-makers'
import type { RollScope } from './roll'
import type { Scope } from './scope'

export const addMember =
  (scope: Scope) =>
  async (request: AddMemberRequest__Output): Promise<MemberReply> => {
    const { member_id: id, kind, role, name, character, made, maker } = request
    const facts = { id, kind, role, name: name === '' ? null : name, maker: maker === '' ? null : maker }
    if (facts.maker !== null) await insertSeatMaker(scope.database, request.world_id, id, facts.maker)
    return change(scope, request.world_id, id, {
      kind: 'join',
      member: facts as Pick<Member, 'id' | 'kind' | 'role' | 'name' | 'maker'>,
      character: character === '' ? null : character,
      made: made && { id: uuidv7(), name: made.name, supertype: made.supertype },
    })
  }

export const updateMember =
  (scope: Scope) =>
  ({ world_id, member_id, role, character }: UpdateMemberRequest__Output): Promise<MemberReply> =>
    change(scope, world_id, member_id, {
      kind: 'change-member',
      member: member_id,
      role: role as Member['role'] | undefined,
      character: character === '' ? null : character,
    })

export const removeMember =
  (scope: Scope) =>
  ({ world_id, member_id }: MemberRef__Output): Promise<MemberReply> =>
    change(scope, world_id, member_id, { kind: 'leave', member: member_id })

export const forgetMember =
  ({ database, departures }: RollScope) =>
  async ({ world_id, member_id }: MemberRef__Output): Promise<object> => {
    await departMember(database, world_id, member_id)
    departures.start()
    return {}
  }

export const readRoll =
  ({ database, readers }: Scope) =>
  async ({ world_id, as }: ReadRollRequest__Output): Promise<RollReply> => {
    const roster =
      as === '' || as === 'public'
        ? await readRoster(database, world_id, as === '' ? ownerReader : publicReader)
        : await readers.asMember(world_id, as, (reader) => readRoster(database, world_id, reader))
    if (roster === null || roster.authVersion === null) return { refusal: toWire(noSuch('member')) }
    return { members: roster.rows.map((row) => toWireMember(world_id, row)) }
  }

export const describeMembers =
  ({ database }: Scope) =>
  async ({ members }: DescribeMembersRequest__Output): Promise<RollReply> => {
    const found = await Promise.all(
      members.map(async ({ world_id, member_id }) => {
        const { rows } = await readRoster(database, world_id, ownerReader, member_id)
        return rows.map((row) => toWireMember(world_id, row))
      }),
    )
    return { members: found.flat() }
  }

async function change(scope: Scope, worldId: string, memberId: string, intent: RollIntent): Promise<MemberReply> {
  const answer = await scope.submit(worldId, { actor: service, intent, receipt: null })
  if (answer.kind === 'refusal') return refusal(answer.refusal)
  const { rows } = await readRoster(scope.database, worldId, ownerReader, memberId)
  const [row] = rows
  return row === undefined ? refusal(noSuch('world')) : { member: toWireMember(worldId, row) }
}

function refusal(reason: Refusal): MemberReply {
  return { refusal: toWire(reason) }
}

function toWireMember(worldId: string, row: RosterRow): RollMember {
  return {
    world_id: worldId,
    id: row.id ?? '',
    kind: row.kind,
    role: row.role,
    status: row.status,
    name: row.name ?? '',
    character: row.character ?? '',
    character_name: row.characterName,
    joined_at: row.joinedAt,
  }
}
