import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createAccount } from '@worlds/testkit/world'
import { accountApi, expectError } from './hostile-table'
import { SmtpSink } from './smtp-sink'
import { type Body, expectBody, timestampForm } from './support'

const root = '/api/v2/account'
const json = { Accept: 'application/json' }
const newEmail = () => `${randomBytes(6).toString('hex')}@example.org`
const tokenOf = (text: string | undefined): string => /token=(\S+)/.exec(text ?? '')?.[1] ?? ''

const verify = (account: Api, token: unknown) => account.post(`${root}/emails/verify`, { token })

async function ask(account: Api, email: string): Promise<void> {
  const { status, text } = await account.post(`${root}/emails`, { email })
  expect([status, text]).toEqual([202, '{}'])
}

async function newAccount({ gateway, ...system }: System): Promise<Api> {
  return accountApi(gateway, (await createAccount({ gateway, ...system })).token)
}

/** Of an account, but for the one that the operator gave it. */
async function emailsOf(account: Api): Promise<Body> {
  return expectBody(await account.get(root), 200).emails.slice(1)
}

describe('emails of an account', () => {
  let system: System
  let account: Api
  beforeAll(async () => {
    const DEV_MAIL = 'true'
    system = await startSystem({
      gateways: 2,
      env: {
        gateway: { DEV_MAIL },
        'gateway-2': { DEV_MAIL: '' },
        membership: { DEV_MAIL, MAILS_PER_ACCOUNT_DAY: '1000' },
      },
    })
  })
  afterAll(() => system.stop())
  beforeEach(async () => {
    account = await newAccount(system)
  })

  const mails = async (): Promise<Body> => expectBody(await api(system.gateway).get('/dev/mail', json), 200).data
  const tokenFor = async (email: string) => {
    const mail = (await mails()).find(({ to }: Body) => to === email)
    return tokenOf(mail?.text)
  }

  it('are verified by the token of a mail, once', async () => {
    const email = newEmail()
    await ask(account, email)
    expect(await emailsOf(account)).toEqual([{ email, verified: false }])
    const token = await tokenFor(email)
    const reply = await verify(account, token)
    expect(expectBody(reply, 200)).toEqual((await account.get(root)).body)
    expect(await emailsOf(account)).toEqual([{ email, verified: true }])
    expectError(await verify(account, token), 'not_found')
    expectError(await verify(account, token.toUpperCase()), 'not_found')
  })

  it('are verified once when two send the token at a time', async () => {
    const email = newEmail()
    await ask(account, email)
    const token = await tokenFor(email)
    const replies = await Promise.all([1, 2, 3].map(() => verify(account, token)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404])
  })

  it('are not verified by the token of another account, which stays good', async () => {
    const email = newEmail()
    await ask(account, email)
    const token = await tokenFor(email)
    const other = await newAccount(system)
    await ask(other, email)
    expectError(await verify(other, token), 'not_found')
    expect(await emailsOf(other)).toEqual([{ email, verified: false }])
    expectBody(await verify(account, token), 200)
  })

  it('are compared without case', async () => {
    const email = `Ann.${newEmail()}`
    await ask(account, email.toUpperCase())
    await ask(account, email)
    expect(await emailsOf(account)).toEqual([{ email, verified: false }])
    expectBody(await verify(account, await tokenFor(email.toUpperCase())), 200)
    await ask(account, email.toLowerCase())
    expect(await emailsOf(account)).toEqual([{ email, verified: true }])
    expectBody(await verify(account, await tokenFor(email.toLowerCase())), 200)
  })

  it('are verified by one account alone, and asking tells nothing of that', async () => {
    const email = newEmail()
    const other = await newAccount(system)
    await ask(account, email)
    const token = await tokenFor(email)
    await ask(other, email.toUpperCase())
    expectBody(await verify(other, await tokenFor(email.toUpperCase())), 200)
    expectError(await verify(account, token), 'not_found')
    await ask(account, email)
    expectError(await verify(account, await tokenFor(email)), 'not_found')
    expect(await emailsOf(account)).toEqual([{ email, verified: false }])
  })

  it('are verified by one account when several try at a time', async () => {
    const email = newEmail()
    const accounts = await Promise.all([1, 2, 3, 4].map(() => newAccount(system)))
    const tokens: string[] = []
    for (const one of accounts) {
      await ask(one, email)
      tokens.push(await tokenFor(email))
    }
    const replies = await Promise.all(accounts.map((one, index) => verify(one, tokens[index])))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
  })

  it.each<[string, Body, string | null]>([
    ['emails', {}, 'email'],
    ['emails', { email: null }, 'email'],
    ['emails', { email: ['a@b.org'] }, 'email'],
    ['emails', { email: 'ann' }, 'email'],
    ['emails', { email: '<b>a@b.org' }, 'email'],
    ['emails', { email: 'a@b.org\r\nBcc: c@d.org' }, 'email'],
    ['emails', { email: `${'a'.repeat(250)}@b.org` }, 'email'],
    ['emails', { email: 'a@b.org', verified: true }, 'verified'],
    ['emails', '[]', null],
    ['emails/verify', {}, 'token'],
    ['emails/verify', { token: 7 }, 'token'],
    ['emails/verify', '{', null],
  ])('are not taken by %s of %j', async (path, body, param) => {
    expectError(await account.post(`${root}/${path}`, body), 'invalid_request', param)
    expect(await emailsOf(account)).toEqual([])
  })

  it('are not verified by what is no token', async () => {
    for (const token of ['', 'nope', 'ow_e_nope', `ow_e_${'A'.repeat(43)}`, "' or true --"]) {
      expectError(await verify(account, token), 'not_found')
    }
  })

  it('are those of an account', async () => {
    const nobody = accountApi(system.gateway, 'ow_a_nope')
    expectError(await nobody.post(`${root}/emails`, { email: newEmail() }), 'invalid_credentials')
    expectError(await verify(nobody, 'x'), 'invalid_credentials')
  })

  it('get mails that a developer sees, newest first, and that stand in the log', async () => {
    const sent = [newEmail(), newEmail(), `o'brien&co.${newEmail()}`]
    for (const email of sent) await ask(account, email)
    const seen = await mails()
    expect(seen.slice(0, 3).map(({ to }: Body) => to)).toEqual(sent.toReversed())
    expect(seen[0]).toEqual({
      to: sent[2],
      subject: 'Confirm your email',
      text: expect.stringMatching(/\nhttp\S+\/verify#token=ow_e_[\w-]{43}\n/),
      sent_at: expect.stringMatching(timestampForm),
    })
    const lines = system.processes.logs('membership').filter((line) => line.includes('"event":"mail"'))
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ to: sent[2], text: seen[0].text }),
    )
    const page = await api(system.gateway).get('/dev/mail', { Accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).toContain('o&#39;brien&amp;co.')
    expect(page.text).toContain(tokenOf(seen[1].text))
  })

  it('get mails of which a developer sees the last hundred', async () => {
    for (let round = 0; round < 6; round += 1)
      await Promise.all(Array.from({ length: 20 }, () => ask(account, newEmail())))
    const last = newEmail()
    await ask(account, last)
    const seen = await mails()
    expect(seen).toHaveLength(100)
    expect(seen[0].to).toBe(last)
  })

  it('get mails that are shown to a developer alone', async () => {
    expectError(await api(system.gateways[1] as string).get('/dev/mail', json), 'not_found')
  })
})

describe('emails of an account where mail goes out by SMTP', () => {
  const dir = mkdtempSync(join(tmpdir(), 'worlds-mail-'))
  const cut = join(dir, 'cut')
  const from = 'worlds@example.org'
  let sink: SmtpSink
  let system: System
  let account: Api
  beforeAll(async () => {
    sink = await new SmtpSink().listen()
    const membership = {
      SMTP_URL: sink.url,
      MAIL_FROM: `Worlds <${from}>`,
      PORTAL_URL: 'https://worlds.example/account',
      EMAIL_TOKEN_LIFE_MS: '1',
      DEV_MAIL: 'true',
      OUTBOX_EVERY_MS: '50',
      OUTBOX_LEASE_MS: '1000',
      FAILPOINTS: `membership.email-added=error@${cut}`,
    }
    system = await startSystem({ env: { membership, gateway: { DEV_MAIL: 'true' } } })
    account = await newAccount(system)
  })
  afterAll(async () => {
    await system.stop()
    await sink.close()
    rmSync(dir, { recursive: true })
  })

  const arrived = async (email: string) => {
    await until(() => sink.mailTo(email) !== undefined)
    return sink.mailTo(email)
  }

  it('get a mail, whose token lives as long as is configured and stands nowhere else', async () => {
    const email = newEmail()
    await ask(account, email)
    const mail = await arrived(email)
    expect(mail).toMatchObject({ from, to: email, subject: 'Confirm your email' })
    expect(mail?.text).toContain('\nhttps://worlds.example/account/verify#token=ow_e_')
    const token = tokenOf(mail?.text)
    expect(token).toMatch(/^ow_e_[\w-]{43}$/)
    expectError(await verify(account, token), 'not_found')
    expect(await emailsOf(account)).toEqual([{ email, verified: false }])
    expect(system.processes.logs('membership').join('\n')).not.toContain(token)
    expectError(await api(system.gateway).get('/dev/mail', json), 'not_found')
  })

  it('get a mail to one address, whatever it holds', async () => {
    const inner = newEmail()
    await ask(account, `a,b;${inner}`)
    await arrived(`"a,b;${inner.replace('@', '"@')}`)
    expect(sink.mailTo(inner)).toBeUndefined()
  })

  it('get their mail later when the mail server cannot take it now', async () => {
    const email = newEmail()
    sink.answers.set(email, '451 later')
    await ask(account, email)
    await arrived(email)
  })

  it('are taken while the mail server is silent', async () => {
    const email = newEmail()
    sink.answers.set(email, '')
    await ask(account, email)
    expect(sink.mailTo(email)).toBeUndefined()
    await arrived(email)
  })

  it('get no mail that the mail server refuses for good', async () => {
    const email = newEmail()
    sink.answers.set(email, '550 nobody reads here')
    await ask(account, email)
    await until(() =>
      system.processes.logs('membership').some((line) => line.includes('given up') && line.includes(email)),
    )
    expect(sink.mailTo(email)).toBeUndefined()
  })

  it('get their mail although the request that asked for it was cut', async () => {
    const email = newEmail()
    writeFileSync(cut, '')
    expect((await account.post(`${root}/emails`, { email })).status).toBe(500)
    expect(existsSync(cut)).toBe(false)
    await arrived(email)
  })
})
