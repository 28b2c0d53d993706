/** What an account is answered by the account routes, by what ties it to a world. */
import type { Api, ApiReply } from '@worlds/testkit/api'
import { addMember, addSeat, invited } from '@worlds/testkit/members'
import type { System } from '@worlds/testkit/system'
import { type Account, createAccount } from '@worlds/testkit/world'
import { accountApi } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

export const callers = ['owner', 'co_builder', 'contributor', 'guest', 'sponsor', 'stranger', 'no token'] as const

export type Caller = (typeof callers)[number]

/** Null where there is no such thing to call with. */
type Answers = Readonly<Record<Exclude<Caller, 'no token'>, string | null>>

export interface Tied {
  readonly by: Api
  readonly account: Account
}

/** A world with one account of each tie to it. */
export interface Ties {
  readonly system: System
  readonly own: Owner
  /** Of the world among the account routes. */
  readonly world: string
  readonly owner: Api
  readonly tied: Readonly<Record<Caller, Tied>>
}

export interface AccountRow {
  readonly route: string
  /** What is called on, when the route does not say. */
  readonly on?: string
  call(by: Api, ties: Ties, account: Account): Promise<ApiReply>
  readonly answers: Answers
}

const root = '/api/v2/account'

export async function newTies(system: System): Promise<Ties> {
  const own = await newOwner(system)
  const [builder, writer, guest] = [
    await addMember(system, own, 'co_builder'),
    await addMember(system, own, 'contributor'),
    await addMember(system, own, 'guest'),
  ]
  const [sponsor, stranger] = [
    await createAccount(system, { pin: '4321' }),
    await createAccount(system, { pin: '4321' }),
  ]
  await addSeat(system, own, { link: { sponsor_email: sponsor.account.email } })
  await acceptOffers(accountApi(system.gateway, sponsor.token))
  const tied = (account: Account, token = account.token) => ({ by: accountApi(system.gateway, token), account })
  return {
    system,
    own,
    world: `${root}/worlds/${own.world}`,
    owner: accountApi(system.gateway, own.token),
    tied: {
      owner: tied(own),
      co_builder: tied(builder),
      contributor: tied(writer),
      guest: tied(guest),
      sponsor: tied(sponsor),
      stranger: tied(stranger),
      'no token': tied(stranger, ''),
    },
  }
}

const refused = '403 permission_error'
const none = '404 not_found'

const members = (answer: string): Answers => ({
  owner: answer,
  co_builder: answer,
  contributor: answer,
  guest: answer,
  sponsor: refused,
  stranger: none,
})
const anybody = (answer: string): Answers => ({ ...members(answer), sponsor: answer, stranger: answer })
const ownerOnly = (answer: string): Answers => ({ ...members(refused), owner: answer })
const invitees = (answer: string): Answers => ({
  ...{ owner: null, co_builder: null, contributor: null, guest: null },
  sponsor: answer,
  stranger: answer,
})

const email = () => `${Math.random().toString(36).slice(2)}@example.org`
const idOf = async (reply: Promise<ApiReply>): Promise<string> => expectBody(await reply, 201).id
const newMember = async ({ system, own }: Ties) => (await addMember(system, own, 'guest')).membership
const seatOf = async ({ system, own }: Ties) => (await addSeat(system, own)).membership
/** A seat that the caller sponsors, if need be because it has accepted to. */
const sponsoredBy = async (by: Api, { system, own }: Ties, { email }: Account['account']) => {
  const { membership } = await addSeat(system, own, { link: { sponsor_email: email } })
  await acceptOffers(by)
  return membership
}
const listOffers = async (by: Api): Promise<Body[]> => {
  const { status, body } = await by.get(`${root}/invites`)
  return status === 200 ? body.data.filter(({ kind }: Body) => kind === 'sponsor') : []
}
async function acceptOffers(by: Api): Promise<void> {
  for (const { id } of await listOffers(by)) expectBody(await by.post(`${root}/invites/${id}/accept`), 201)
}
/** An offer to sponsor that is made to the account. */
const offerTo = async (by: Api, { system, own }: Ties, { email }: Account['account']): Promise<string> => {
  await addSeat(system, own, { link: { sponsor_email: email } })
  const [offer] = await listOffers(by)
  return offer?.id ?? email
}
const inviteOf = ({ system, own }: Ties, to: string) => invited(system, own, to, 'guest')
const linkOf = ({ owner, world }: Ties) => idOf(owner.post(`${world}/links`, { reader: 'agent' }))

export const worldAccountRows: readonly AccountRow[] = [
  { route: 'GET …/worlds/{id}', call: (by, { world }) => by.get(world), answers: members('200') },
  {
    route: 'PATCH …/worlds/{id}',
    call: (by, { world }) => by.patch(world, { public_read: false }),
    answers: ownerOnly('200'),
  },
  { route: 'GET …/worlds/{id}/keys', call: (by, { world }) => by.get(`${world}/keys`), answers: members('200') },
  {
    route: 'POST …/worlds/{id}/keys',
    call: (by, { world }) => by.post(`${world}/keys`, { scope: 'read' }),
    answers: members('201'),
  },
  {
    route: 'DELETE …/worlds/{id}/keys/{key}',
    on: 'a key of its own',
    call: async (by, { world }) =>
      by.delete(`${world}/keys/${await idOf(by.post(`${world}/keys`, { scope: 'read' }))}`),
    answers: { ...members('204'), sponsor: null, stranger: null },
  },
  {
    route: 'DELETE …/worlds/{id}/keys/{key}',
    on: 'a key of another',
    call: async (by, { world, tied }, account) => {
      const holder = account === tied.contributor.account ? tied.guest.by : tied.contributor.by
      return by.delete(`${world}/keys/${await idOf(holder.post(`${world}/keys`, { scope: 'read' }))}`)
    },
    answers: ownerOnly('204'),
  },
  { route: 'GET …/worlds/{id}/members', call: (by, { world }) => by.get(`${world}/members`), answers: members('200') },
  {
    route: 'PATCH …/worlds/{id}/members/{member}',
    call: async (by, ties) => by.patch(`${ties.world}/members/${await newMember(ties)}`, { role: 'contributor' }),
    answers: ownerOnly('200'),
  },
  {
    route: 'DELETE …/worlds/{id}/members/{member}',
    on: 'another member',
    call: async (by, ties) => by.delete(`${ties.world}/members/${await newMember(ties)}`),
    answers: ownerOnly('204'),
  },
  {
    route: 'DELETE …/worlds/{id}/members/{member}',
    on: 'a seat that it sponsors',
    call: async (by, ties, { account }) => by.delete(`${ties.world}/members/${await sponsoredBy(by, ties, account)}`),
    answers: { ...members('204'), sponsor: '204', stranger: null },
  },
  {
    route: 'POST …/worlds/{id}/leave',
    call: (by, { world }) => by.post(`${world}/leave`),
    answers: { ...members('204'), owner: refused },
  },
  {
    route: 'POST …/worlds/{id}/invites',
    call: (by, { world }) => by.post(`${world}/invites`, { email: email(), role: 'guest' }),
    answers: ownerOnly('201'),
  },
  {
    route: 'DELETE …/worlds/{id}/invites/{invite}',
    call: async (by, ties) => by.delete(`${ties.world}/invites/${await inviteOf(ties, email())}`),
    answers: ownerOnly('204'),
  },
  { route: 'GET …/worlds/{id}/links', call: (by, { world }) => by.get(`${world}/links`), answers: ownerOnly('200') },
  {
    route: 'POST …/worlds/{id}/links',
    call: (by, { world }) => by.post(`${world}/links`, { reader: 'player' }),
    answers: ownerOnly('201'),
  },
  {
    route: 'DELETE …/worlds/{id}/links/{link}',
    call: async (by, ties) => by.delete(`${ties.world}/links/${await linkOf(ties)}`),
    answers: ownerOnly('204'),
  },
  { route: 'GET …/worlds/{id}/seats', call: (by, { world }) => by.get(`${world}/seats`), answers: members('200') },
  {
    route: 'POST …/worlds/{id}/seats',
    call: (by, { world }) => by.post(`${world}/seats`, { name: 'S' }),
    answers: { ...members('201'), guest: refused },
  },
  {
    route: 'DELETE …/worlds/{id}/seats/{seat}',
    on: 'a seat that it sponsors',
    call: async (by, ties, { account }) => by.delete(`${ties.world}/seats/${await sponsoredBy(by, ties, account)}`),
    answers: { ...members('204'), sponsor: '204', stranger: null },
  },
  {
    route: 'DELETE …/worlds/{id}/seats/{seat}',
    on: 'a seat that another sponsors',
    call: async (by, ties) => by.delete(`${ties.world}/seats/${await seatOf(ties)}`),
    answers: ownerOnly('204'),
  },
  // Last, for it takes the world away.
  { route: 'DELETE …/worlds/{id}', call: (by, { world }) => by.delete(world), answers: ownerOnly('204') },
]

export const ownAccountRows: readonly AccountRow[] = [
  { route: 'GET …', call: (by) => by.get(root), answers: anybody('200') },
  { route: 'PATCH …', call: (by) => by.patch(root, { name: 'N' }), answers: anybody('200') },
  { route: 'GET …/tokens', call: (by) => by.get(`${root}/tokens`), answers: anybody('200') },
  { route: 'POST …/tokens', call: (by) => by.post(`${root}/tokens`, {}), answers: anybody('201') },
  {
    route: 'DELETE …/tokens/{token}',
    on: 'a token of its own',
    call: async (by, { tied }, account) => {
      const holder = Object.values(tied).find((one) => one.account === account) as Tied
      return by.delete(`${root}/tokens/${await idOf(holder.by.post(`${root}/tokens`, {}))}`)
    },
    answers: anybody('204'),
  },
  {
    route: 'DELETE …/tokens/{token}',
    on: 'a token of another',
    call: async (by, { system }) => {
      const other = accountApi(system.gateway, (await createAccount(system)).token)
      return by.delete(`${root}/tokens/${await idOf(other.post(`${root}/tokens`, {}))}`)
    },
    answers: anybody(none),
  },
  { route: 'POST …/emails', call: (by) => by.post(`${root}/emails`, { email: email() }), answers: anybody('202') },
  { route: 'GET …/worlds', call: (by) => by.get(`${root}/worlds`), answers: anybody('200') },
  { route: 'POST …/worlds', call: (by) => by.post(`${root}/worlds`, { name: 'W' }), answers: anybody('201') },
  { route: 'GET …/watched', call: (by) => by.get(`${root}/watched`), answers: anybody('200') },
  {
    route: 'POST …/watched',
    call: async (by, ties) => by.post(`${root}/watched`, await watchable(ties)),
    answers: anybody('201'),
  },
  {
    route: 'DELETE …/watched/{watch}',
    on: 'another’s',
    call: async (by, ties) => {
      const other = accountApi(ties.system.gateway, (await createAccount(ties.system)).token)
      return by.delete(`${root}/watched/${await idOf(other.post(`${root}/watched`, await watchable(ties)))}`)
    },
    answers: anybody(none),
  },
  { route: 'GET …/invites', call: (by) => by.get(`${root}/invites`), answers: anybody('200') },
  {
    route: 'POST …/invites/{invite}/refuse',
    on: 'an offer to sponsor',
    call: async (by, ties, { account }) => by.post(`${root}/invites/${await offerTo(by, ties, account)}/refuse`),
    answers: invitees('204'),
  },
  {
    route: 'POST …/invites/{invite}/accept',
    on: 'an offer to sponsor',
    call: async (by, ties, { account }) => by.post(`${root}/invites/${await offerTo(by, ties, account)}/accept`),
    answers: invitees('201'),
  },
  {
    route: 'POST …/invites/{invite}/accept',
    on: 'addressed to it',
    call: async (by, ties, { account }) => by.post(`${root}/invites/${await inviteOf(ties, account.email)}/accept`),
    answers: invitees('201'),
  },
  {
    route: 'POST …/invites/{invite}/accept',
    on: 'addressed to another',
    call: async (by, ties) => by.post(`${root}/invites/${await inviteOf(ties, email())}/accept`),
    answers: anybody(none),
  },
  {
    route: 'POST …/invites/{invite}/refuse',
    on: 'addressed to it',
    call: async (by, ties, { account }) => by.post(`${root}/invites/${await inviteOf(ties, account.email)}/refuse`),
    answers: invitees('204'),
  },
  {
    route: 'POST …/invites/{invite}/refuse',
    on: 'addressed to another',
    call: async (by, ties) => by.post(`${root}/invites/${await inviteOf(ties, email())}/refuse`),
    answers: anybody(none),
  },
]

async function watchable({ owner, world }: Ties): Promise<Body> {
  return { key: expectBody(await owner.post(`${world}/keys`, { scope: 'read' }), 201).key }
}

/** Null where there is nothing to call on. */
export function accountAnswer({ answers }: AccountRow, caller: Caller): string | null {
  if (caller !== 'no token') return answers[caller]
  return answers.stranger === null ? null : '401 invalid_credentials'
}
