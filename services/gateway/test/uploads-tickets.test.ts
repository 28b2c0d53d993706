import { createHmac, createPrivateKey, sign as signBytes } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { makeTicketKeys } from '@worlds/testkit/ticket-keys'
import { until } from '@worlds/testkit/until'
import { bucketOf, filesOf, fileTicket, imageTicket, keysIn, png, send, untilListed } from './files-support'
import { type Body, newOwner, type Owner } from './support'
import { begin, expectHostRefusal, sendRaw, uploadHead } from './uploads-support'

let system: System
let own: Owner
let place: string

beforeAll(async () => {
  const file = { FILE_TICKETS: '1000', IMAGE_TICKETS: '1000' }
  system = await startSystem({ files: true, uploadHosts: 2, env: { file } })
  own = await newOwner(system)
})
afterAll(() => system.stop())
beforeEach(async () => {
  place = (await own.make('location')).id
})

const stored = () => keysIn(bucketOf(system), `w/${own.world}/${place}/`)

type Part = Record<string, unknown>
const encode = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url')
const decode = (part = ''): Part => JSON.parse(Buffer.from(part, 'base64url').toString())

describe('hostile 71: a ticket that was not issued', () => {
  const sign = (signingKey: string, header: Part, claims: Part) => {
    const [kid, bytes = ''] = signingKey.split(/:(.*)/s)
    const key = createPrivateKey({ key: Buffer.from(bytes, 'base64'), format: 'der', type: 'pkcs8' })
    const text = `${encode({ ...header, kid })}.${encode(claims)}`
    return `${text}.${signBytes(null, Buffer.from(text), key).toString('base64url')}`
  }

  const forgeries: readonly [string, (header: Part, claims: Part, signature: string) => string][] = [
    ['another signature', (header, claims) => `${encode(header)}.${encode(claims)}.${'A'.repeat(86)}`],
    ['no signature', (header, claims) => `${encode(header)}.${encode(claims)}.`],
    ['two parts', (header, claims) => `${encode(header)}.${encode(claims)}`],
    ['a greater size', (header, claims, sig) => `${encode(header)}.${encode({ ...claims, maxBytes: 1e9 })}.${sig}`],
    ['another key', (header, claims, sig) => `${encode(header)}.${encode({ ...claims, key: 'w/x/y/z.txt' })}.${sig}`],
    ['a longer life', (header, claims, sig) => `${encode(header)}.${encode({ ...claims, exp: 9e9 })}.${sig}`],
    ['no algorithm', (header, claims) => `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`],
    [
      'the public key taken for a secret',
      (header, claims) => {
        const text = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
        const [, secret = ''] = system.ticketKeys.publicKey.split(/:(.*)/s)
        return `${text}.${createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64url')}`
      },
    ],
    ['a stranger’s signature', (header, claims) => sign(makeTicketKeys().signingKey, header, claims)],
    ['a stranger’s key', (header, claims) => sign(makeTicketKeys('t9').signingKey, header, claims)],
    ['a kind that is none', (header, claims) => sign(system.ticketKeys.signingKey, header, { ...claims, kind: 'exe' })],
    ['no name of a path', (header, claims) => sign(system.ticketKeys.signingKey, header, { ...claims, aud: 'other' })],
  ]

  it.each(forgeries)('[UP-025] is refused: %s', async (_title, forge) => {
    const ticket = await fileTicket(own, 'location', place)
    const [header, claims, signature = ''] = ticket.ticket.split('.')
    const forged = forge(decode(header), decode(claims), signature)
    expectHostRefusal(await send({ ...ticket, ticket: forged } as never, 'hello'), 401, 'ticket_invalid')
    expect(await stored()).toEqual([])
    expect((await send(ticket as never, 'hello')).status).toBe(201)
  })

  it('[UP-016] which is told by no more than its signature', async () => {
    const ticket = await fileTicket(own, 'location', place)
    const [header, claims] = ticket.ticket.split('.')
    const signed = sign(system.ticketKeys.signingKey, decode(header), decode(claims))
    expect((await send({ ...ticket, ticket: signed } as never, 'hello')).status).toBe(201)
  })

  it('[UP-025] is refused: one of another system', async () => {
    const other = await startSystem({ files: true })
    try {
      const stranger = await newOwner(other)
      const ticket = await fileTicket(stranger, 'location', (await stranger.make('location')).id)
      const reply = await send(ticket as never, 'hello', {}, system.uploadUrl)
      expectHostRefusal(reply, 401, 'ticket_invalid')
      expect((await send(ticket as never, 'hello')).status).toBe(201)
    } finally {
      await other.stop()
    }
  })
})

describe('one ticket', () => {
  it('[UP-003][FL-061] is one upload, at whichever host', async () => {
    for (const ticket of [await fileTicket(own, 'location', place), await imageTicket(own)]) {
      const bytes = ticket.kind === 'image' ? png() : Buffer.from('hello')
      expect((await send(ticket as never, bytes)).status).toBe(201)
      for (const url of [...system.uploadUrls, ...system.uploadUrls]) {
        expectHostRefusal(await send(ticket as never, bytes, {}, url), 401, 'ticket_used')
      }
    }
    await until(async () => (await filesOf(own, 'location', place)).length === 1)
    expect(await stored()).toHaveLength(1)
  })

  it('[UP-003][UP-033] is taken while an upload runs, at whichever host, and used once that is done', async () => {
    const ticket = await fileTicket(own, 'location', place)
    const begun = await begin(system, ticket as never, 5)
    for (const url of system.uploadUrls) {
      expectHostRefusal(await send(ticket as never, 'other', {}, url), 409, 'exists')
    }
    expect((await begun.go('hello').answer()).status).toBe(201)
    expectHostRefusal(await send(ticket as never, 'other'), 401, 'ticket_used')
    expect((await untilListed(own, 'location', place, ticket.file_id)).size).toBe(5)
  })

  it('[UP-018][UP-030][UP-033][UP-034] which is told after what the head says', async () => {
    const ticket = await fileTicket(own, 'location', place)
    const begun = await begin(system, ticket as never, 5)
    const headed = (line: string) => sendRaw(system, uploadHead(ticket.ticket, [line]))
    expectHostRefusal(await headed('Transfer-Encoding: chunked'), 411, 'content_length_required')
    expectHostRefusal(await headed('Content-Length: 0'), 400, 'empty_body')
    expectHostRefusal(await headed('Content-Length: 26214401'), 413, 'too_large')
    expectHostRefusal(await headed('Content-Length: 5'), 409, 'exists')
    expect((await begun.go('hello').answer()).status).toBe(201)
  })

  it('[UP-033] is good again after an upload that failed', async () => {
    const ticket = await fileTicket(own, 'location', place)
    const begun = await begin(system, ticket as never, 5)
    expectHostRefusal(await send(ticket as never, 'other'), 409, 'exists')
    expect((await begun.go('a\0b\0c').answer()).status).toBe(415)
    expect((await send(ticket as never, 'hello', {}, system.uploadUrls[1])).status).toBe(201)
  })

  it('[UP-038] is unspent by any refusal', async () => {
    const ticket = await fileTicket(own, 'location', place)
    const refusals = [
      await send(ticket as never, ''),
      await send(ticket as never, 'a\0b'),
      await sendRaw(system, uploadHead(ticket.ticket, ['Transfer-Encoding: chunked'])),
      await sendRaw(system, uploadHead(ticket.ticket, ['Content-Length: 26214401'])),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([400, 415, 411, 413])
    expect(await stored()).toEqual([])
    expect((await send(ticket as never, 'hello')).status).toBe(201)
  })
})

describe('hostile 71: the life of a ticket', () => {
  let brief: System
  let owner: Owner
  let id: string
  let expired: Body
  let image: Body
  let used: Body
  beforeAll(async () => {
    brief = await startSystem({ files: true, env: { file: { TICKET_LIFE_MS: '2500' } } })
    owner = await newOwner(brief)
    id = (await owner.make('location')).id
    expired = await fileTicket(owner, 'location', id)
    image = await imageTicket(owner)
    used = await fileTicket(owner, 'location', id)
    expect((await send(used as never, 'hello')).status).toBe(201)
    await until(() => Date.now() >= Math.max(expired.exp, image.exp, used.exp) * 1000)
  })
  afterAll(() => brief.stop())

  it('[UP-002][LM-010] is over at its time', async () => {
    expectHostRefusal(await send(expired as never, 'hello'), 401, 'ticket_expired')
    expectHostRefusal(await send(image as never, png()), 401, 'ticket_expired')
  })

  it('[UP-002] is looked at before what became of it, and before the body, but after who signed it', async () => {
    expectHostRefusal(await send(used as never, 'hello'), 401, 'ticket_expired')
    expectHostRefusal(
      await sendRaw(brief, uploadHead(expired.ticket, ['Transfer-Encoding: chunked'])),
      401,
      'ticket_expired',
    )
    expectHostRefusal(await sendRaw(brief, uploadHead(expired.ticket, ['Content-Length: 0'])), 401, 'ticket_expired')
    const ticket = `${expired.ticket.slice(0, -4)}AAAA`
    expectHostRefusal(await send({ ...expired, ticket } as never, 'hello'), 401, 'ticket_invalid')
  })

  it('[UP-002] is looked at once, when the upload begins', async () => {
    const ticket = await fileTicket(owner, 'location', id)
    const begun = await begin(brief, ticket as never, 5)
    begun.go('he')
    await until(() => Date.now() >= ticket.exp * 1000)
    const reply = await begun.go('llo').answer()
    expect([reply.status, reply.body.fid]).toEqual([201, ticket.file_id])
    await untilListed(owner, 'location', id, ticket.file_id)
  })
})
