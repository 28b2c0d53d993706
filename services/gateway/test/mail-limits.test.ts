import { randomUUID } from 'node:crypto'
import { type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { createWorld } from '@worlds/testkit/world'
import { accountApi } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

const newEmail = () => `${randomUUID()}@example.org`

async function startWith(membership: Record<string, string>): Promise<System> {
  const DEV_MAIL = 'true'
  return startSystem({ gateways: 2, env: { gateway: { DEV_MAIL }, membership: { DEV_MAIL, ...membership } } })
}

async function mailsTo(system: System, isMeant: (to: string) => boolean): Promise<Body[]> {
  const reply = await api(system.gateway).get('/dev/mail', { Accept: 'application/json' })
  return expectBody(reply, 200).data.filter(({ to }: Body) => isMeant(to))
}

const invite = (system: System, { token, world }: Pick<Owner, 'token' | 'world'>, email: string): Promise<ApiReply> =>
  accountApi(system.gateway, token).post(`/api/v2/account/worlds/${world}/invites`, { email, role: 'guest' })

describe('mails to one recipient', () => {
  let system: System
  beforeAll(async () => {
    system = await startWith({})
  })
  afterAll(() => system.stop())

  it('are five an hour, whoever causes them and by whatever route, and every reply is the same', async () => {
    const email = newEmail()
    const owners = await Promise.all([1, 2, 3].map(() => newOwner(system)))
    for (const owner of owners) {
      for (const spelled of [email, email.toUpperCase(), email]) {
        expect(expectBody(await invite(system, owner, spelled), 201)).toMatchObject({ email, role: 'guest' })
      }
    }
    const account = accountApi(system.gateway, (owners[0] as Owner).token)
    const reply = await account.post('/api/v2/account/emails', { email })
    expect([reply.status, reply.text]).toEqual([202, '{}'])
    expect(await mailsTo(system, (to) => to.toLowerCase() === email)).toHaveLength(5)
    const other = newEmail()
    expectBody(await invite(system, owners[0] as Owner, other), 201)
    expect(await mailsTo(system, (to) => to === other)).toHaveLength(1)
  })

  it('are five of those that are asked for at once', async () => {
    const email = newEmail()
    const owners = await Promise.all(Array.from({ length: 4 }, () => newOwner(system)))
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, turn) => invite(system, owners[turn % 4] as Owner, email)),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(24).fill(201))
    expect(await mailsTo(system, (to) => to === email)).toHaveLength(5)
  })
})

describe('mails of a day', () => {
  let system: System
  beforeAll(async () => {
    const few = { MAILS_PER_RECIPIENT_HOUR: '100', MAILS_PER_RECIPIENT_DAY: '4', MAILS_PER_ACCOUNT_DAY: '6' }
    system = await startWith(few)
  })
  afterAll(() => system.stop())

  it('are limited per recipient', async () => {
    const email = newEmail()
    for (const owner of [await newOwner(system), await newOwner(system)]) {
      for (let turn = 0; turn < 3; turn += 1) expectBody(await invite(system, owner, email), 201)
    }
    expect(await mailsTo(system, (to) => to === email)).toHaveLength(4)
  })

  it('are limited per account that causes them, over all its worlds, and no other account pays', async () => {
    const owner = await newOwner(system)
    const { id } = await createWorld(system, owner.token)
    const emails = Array.from({ length: 10 }, newEmail)
    const send = (email: string, turn: number) => invite(system, turn % 2 ? owner : { ...owner, world: id }, email)
    const replies = await Promise.all(emails.map(send))
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201))
    expect(await mailsTo(system, (to) => emails.includes(to))).toHaveLength(6)
    const account = accountApi(system.gateway, owner.token)
    const verified = newEmail()
    expect((await account.post('/api/v2/account/emails', { email: verified })).status).toBe(202)
    expect(await mailsTo(system, (to) => to === verified)).toEqual([])
    const [first = ''] = emails
    const before = (await mailsTo(system, (to) => to === first)).length
    expectBody(await invite(system, await newOwner(system), first), 201)
    expect(await mailsTo(system, (to) => to === first)).toHaveLength(before + 1)
  })
})
