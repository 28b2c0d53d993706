/** What tests about those who share a world begin with. */
import { type ErrorCode, statusOf } from '@worlds/domain/errors'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import type { Member } from '@worlds/testkit/members'
import type { System } from '@worlds/testkit/system'
import { createAccount } from '@worlds/testkit/world'
import { accountApi } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

export const root = '/api/v2/account'

/** A world, with requests by its key and by its owner's token. */
export interface Shared extends Owner {
  readonly bearer: Api
  /** Path of the world among the account routes. */
  readonly path: string
  roster(): Promise<Body[]>
  row(membership: string): Promise<Body>
}

export async function newShared(system: System): Promise<Shared> {
  const own = await newOwner(system)
  const roster = async () => expectBody(await own.get('/api/v2/members'), 200).data
  return {
    ...own,
    bearer: accountApi(system.gateway, own.token),
    path: `${root}/worlds/${own.world}`,
    roster,
    row: async (membership) => (await roster()).find(({ id }: Body) => id === membership),
  }
}

/** Somebody with a token. */
export interface Person {
  readonly id: string
  readonly email: string
  readonly bearer: Api
}

export async function newPerson(system: System, pin = '4321'): Promise<Person> {
  const { account, token } = await createAccount(system, { pin, name: 'Wanda Underhill' })
  return { ...account, bearer: accountApi(system.gateway, token) }
}

export async function invite(shared: Shared, email: string, role: string): Promise<string> {
  return expectBody(await shared.bearer.post(`${shared.path}/invites`, { email, role }), 201).id
}

export const accept = (person: Person, id: string, body?: Body): Promise<ApiReply> =>
  person.bearer.post(`${root}/invites/${id}/accept`, body)

/** Accepts the one offer to sponsor that the person has. */
export async function acceptOffer(person: Person): Promise<void> {
  const rows = expectBody(await person.bearer.get(`${root}/invites`), 200).data
  const [offer, ...others] = rows.filter(({ kind }: Body) => kind === 'sponsor')
  expect(others).toEqual([])
  expectBody(await accept(person, offer.id), 201)
}

/** Requests by a member's key and by its token. */
export function actAs(system: System, member: Pick<Member, 'headers'> & { token?: string }): Api & { bearer: Api } {
  return { ...api(system.gateway, { ...member.headers }), bearer: accountApi(system.gateway, member.token ?? '') }
}

/** Expects a refusal of this code, with the status that stands for it. */
export function expectRefused({ status, body }: ApiReply, code: ErrorCode, param: unknown = null): void {
  expect({ status, error: body?.error }).toEqual({
    status: statusOf(code),
    error: expect.objectContaining({ code, param }),
  })
}

export function expectDone({ status, text }: ApiReply): void {
  expect([status, text]).toEqual([204, ''])
}

/** Characters of the world with this supertype, as its owner sees them. */
export async function charactersOf(own: Owner, supertype: string): Promise<string[]> {
  const { data } = expectBody(await own.get(`/api/v2/character?supertype=${supertype}`), 200)
  return data.map(({ id }: Body) => id)
}
