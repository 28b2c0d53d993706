import { type Api, type ApiReply, api } from './api'
import type { System } from './system'
import { type Account, createAccount, type World } from './world'

type Reached = Pick<System, 'gateway' | 'membershipAddress' | 'serviceToken'>

export type MemberRole = 'co_builder' | 'contributor' | 'guest'

interface Joined {
  readonly membership: string
  readonly character: string | null
  readonly key: string
}

/** A person who came by an invite, with an account, and with a write key of its own. */
export interface Member extends Account, Joined {
  readonly pin: string
  readonly headers: { readonly 'API-Key': string; readonly 'API-Pin': string }
}

/** An agent's seat; its pin is its seat secret. */
export interface Seat extends Joined {
  readonly pin: string
  readonly headers: { readonly 'API-Key': string; readonly 'API-Pin': string }
}

/** A guest without an account, who only reads. */
export interface Player extends Joined {
  readonly headers: { readonly 'API-Key': string }
}

/** Makes an account whose PIN is 4321, invites it, accepts, and mints its write key. */
export async function addMember(
  system: Reached,
  world: Pick<World, 'world' | 'token'>,
  role: MemberRole,
  options: { rosterCharacter?: string; name?: string } = {},
): Promise<Member> {
  const pin = '4321'
  const { account, token } = await createAccount(system, { pin, name: options.name ?? 'Member' })
  const invite = await invited(system, world, account.email, role)
  const own = bearer(system, token)
  const body = options.rosterCharacter === undefined ? undefined : { roster_character: options.rosterCharacter }
  const { id, character } = await sent(own.post(`/api/v2/account/invites/${invite}/accept`, body))
  const { key } = await sent(own.post(`/api/v2/account/worlds/${world.world}/keys`))
  return { account, token, pin, membership: id, character, key, headers: { 'API-Key': key, 'API-Pin': pin } }
}

/** The id of an invite by the world's owner. */
export async function invited(
  system: Reached,
  { world, token }: Pick<World, 'world' | 'token'>,
  email: string,
  role: MemberRole,
): Promise<string> {
  const { id } = await sent(bearer(system, token).post(`/api/v2/account/worlds/${world}/invites`, { email, role }))
  return id
}

/** A seat by an agent link of the owner; whatever the link takes goes into `link`. */
export async function addSeat(
  system: Reached,
  world: Pick<World, 'world' | 'token'>,
  options: { role?: MemberRole; name?: string; link?: Record<string, unknown> } = {},
): Promise<Seat> {
  const { name = 'Agent', link = {} } = options
  const role = options.role === undefined ? {} : { role: options.role }
  const body = await joined(system, world, { reader: 'agent', ...role, ...link }, { agent_name: name })
  const { key, pin } = body
  return { ...of(body), pin, headers: { 'API-Key': key, 'API-Pin': pin } }
}

/** A player by a player link of the owner; whatever the link takes goes into `link`. */
export async function addPlayer(
  system: Reached,
  world: Pick<World, 'world' | 'token'>,
  options: { name?: string; link?: Record<string, unknown> } = {},
): Promise<Player> {
  const { name = 'Player', link = {} } = options
  const body = await joined(system, world, { reader: 'player', ...link }, { name })
  return { ...of(body), headers: { 'API-Key': body.key } }
}

export async function setRole(
  system: Reached,
  { world, token }: Pick<World, 'world' | 'token'>,
  membership: string,
  role: MemberRole,
): Promise<void> {
  await sent(bearer(system, token).patch(`/api/v2/account/worlds/${world}/members/${membership}`, { role }))
}

export async function removeMember(
  system: Reached,
  { world, token }: Pick<World, 'world' | 'token'>,
  membership: string,
): Promise<void> {
  await sent(bearer(system, token).delete(`/api/v2/account/worlds/${world}/members/${membership}`))
}

/** A read key of the account's whose token it is: the owner's or a member's. */
export async function mintReadKey(system: Reached, world: string, token: string): Promise<string> {
  const { key } = await sent(bearer(system, token).post(`/api/v2/account/worlds/${world}/keys`, { scope: 'read' }))
  return key
}

async function joined(
  system: Reached,
  { world, token }: Pick<World, 'world' | 'token'>,
  link: Record<string, unknown>,
  who: Record<string, unknown>,
): Promise<ApiReply['body']> {
  const { code } = await sent(bearer(system, token).post(`/api/v2/account/worlds/${world}/links`, link))
  return sent(api(system.gateway).post('/api/v2/join', { code, ...who }))
}

function of({ seat, character, key }: ApiReply['body']): Joined {
  return { membership: seat.id, character: character?.id ?? null, key }
}

function bearer({ gateway }: Reached, token: string): Api {
  return api(gateway, { Authorization: `Bearer ${token}` })
}

async function sent(request: Promise<ApiReply>): Promise<ApiReply['body']> {
  const { status, body, text } = await request
  if (status < 200 || status > 299) throw new Error(`refused: ${status} ${text}`)
  return body
}
