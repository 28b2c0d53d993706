/** Who may call a world, in every role and by every kind of key. */
import type { Role } from '@worlds/domain/view'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat, mintReadKey } from '@worlds/testkit/members'
import type { System } from '@worlds/testkit/system'
import { type Body, errorOf, type Owner } from './support'

const parties = {
  owner: ['owner', 'key'],
  'read key of the owner': ['owner', 'read key'],
  co_builder: ['co_builder', 'key'],
  'co_builder seat': ['co_builder', 'seat'],
  contributor: ['contributor', 'key'],
  'contributor seat': ['contributor', 'seat'],
  'read key of a contributor': ['contributor', 'read key'],
  guest: ['guest', 'key'],
  'guest seat': ['guest', 'seat'],
  'read key of a guest': ['guest', 'read key'],
  player: ['guest', 'player'],
} as const satisfies Record<string, readonly [Role, 'key' | 'read key' | 'seat' | 'player']>

export type PartyName = keyof typeof parties

export const partyNames = Object.keys(parties) as PartyName[]

/** Somebody with a key on the world. */
export interface Party extends Api {
  readonly role: Role
  readonly reads: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly membership: string | null
  readonly character: string | null
  /** Its membership's write key; null for who has none. */
  readonly writer: Api | null
}

/** Requests by a party's write key, whatever its own key may do. */
export function writerOf({ writer }: Party): Api {
  if (writer === null) throw new Error('a player writes nothing')
  return writer
}

export function roleOf(name: PartyName): Role {
  return parties[name][0]
}

/** Comes to the world as one of its kind does: by an invite, an agent's or a player's link, or a key of the owner. */
export async function newParty(system: System, own: Owner, name: PartyName): Promise<Party> {
  const [role, by] = parties[name]
  const joined = await join(system, own, role, by)
  const key = api(system.gateway, { ...joined.headers })
  if (by === 'player') return { ...key, ...joined, role, reads: true, writer: null }
  if (by !== 'read key') return { ...key, ...joined, role, reads: false, writer: key }
  const headers = { 'API-Key': await mintReadKey(system, own.world, joined.token ?? own.token) }
  return { ...api(system.gateway, headers), ...joined, headers, role, reads: true, writer: key }
}

type Joined = Pick<Party, 'headers' | 'membership' | 'character'> & { readonly token?: string }

async function join(system: System, own: Owner, role: Role, by: string): Promise<Joined> {
  if (role === 'owner') return { headers: own.headers, membership: null, character: null }
  if (by === 'player') return addPlayer(system, own)
  return by === 'seat' ? addSeat(system, own, { role }) : addMember(system, own, role)
}

const families: Readonly<Record<string, string>> = {
  not_author: 'permission_error',
  owner_only: 'permission_error',
  view_as_owner_only: 'permission_error',
  guest_not_supported: 'permission_error',
  gone: 'not_found',
}

/** What a refusal reads as, whole, when it lies in who calls. */
export function refusal(code: string, param: string | null = null): Body {
  const error = errorOf(code, param)
  return { ...error, type: families[code] ?? error.type }
}

/** Expects a refusal with the envelope and nothing beside it. */
export function expectRefused({ status, body }: ApiReply, expected: number, code: string, param?: string): void {
  expect({ status, body }).toEqual({ status: expected, body: { error: refusal(code, param) } })
}

/** Expects a write to be refused with every element and mark left as they were. */
export async function expectUnwritten(
  own: Owner,
  write: () => Promise<ApiReply>,
  ...[status, code, param]: [number, string, string?]
): Promise<void> {
  const state = async () =>
    [await own.get('/api/v2/changes'), await own.get('/api/v2/world/hidden')].map(({ body }) => body)
  const before = await state()
  expectRefused(await write(), status, code, param)
  expect(await state()).toEqual(before)
}
