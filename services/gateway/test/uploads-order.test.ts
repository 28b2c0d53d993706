import { connect } from 'node:net'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addImage, bucketOf, fileTicket, imageTicket, jpeg, keysIn, png, send, settledKeys } from './files-support'
import { Raw } from './hostile-table'
import { type Body, newOwner, type Owner } from './support'
import { begin, expectHostRefusal, sendRaw, uploadHead } from './uploads-support'

/** Each refusal of the upload host, and which of two comes first. */
let system: System
let own: Owner
let place: string
let taken: string
const gif = Buffer.from('GIF89a and so on')

beforeAll(async () => {
  system = await startSystem({ files: true, env: { file: { FILE_TICKETS: '1000', IMAGE_TICKETS: '1000' } } })
  own = await newOwner(system)
  place = (await own.make('location')).id
  taken = `u/${own.world}/taken.png`
  await addImage(own, png(), { 'X-Key': taken })
})
afterAll(() => system.stop())

const newTicket = (kind = 'txt') => fileTicket(own, 'location', place, { name: `a.${kind}`, kind })
const spent = async () => {
  const ticket = await newTicket()
  expect((await send(ticket as never, 'hello')).status).toBe(201)
  return ticket
}
const forged = ({ ticket }: Body): string => `${ticket.slice(0, -4)}AAAA`
const length = (bytes: number) => `Content-Length: ${bytes}`
const chunked = 'Transfer-Encoding: chunked'

/** What is refused, as head lines; the first fault of the order is told, whatever else is wrong. */
type Row = readonly [
  status: number,
  error: string,
  title: string,
  head: () => Promise<readonly [ticket: string | null, lines: readonly string[]]>,
]

const rows: readonly Row[] = [
  [401, 'ticket_required', 'no ticket', async () => [null, [length(5)]]],
  [
    401,
    'ticket_required',
    'another scheme',
    async () => [null, [length(5), `Authorization: Basic ${(await newTicket()).ticket}`]],
  ],
  [401, 'ticket_required', 'the scheme alone', async () => [null, [length(5), 'Authorization: Bearer']]],
  [
    401,
    'ticket_required',
    'the ticket alone',
    async () => [null, [length(5), `Authorization: ${(await newTicket()).ticket}`]],
  ],
  [401, 'ticket_required', 'no ticket and no length', async () => [null, [chunked]]],
  [401, 'ticket_required', 'a ticket as a key', async () => [null, [length(5), `API-Key: ${own.key}`]]],
  [401, 'ticket_invalid', 'a forged ticket', async () => [forged(await newTicket()), [length(5)]]],
  [401, 'ticket_invalid', 'no ticket at all', async () => ['nonsense', [length(5)]]],
  [401, 'ticket_invalid', 'a world’s key as a ticket', async () => [own.key, [length(5)]]],
  [401, 'ticket_invalid', 'a forged ticket that was used', async () => [forged(await spent()), [length(5)]]],
  [401, 'ticket_invalid', 'a forged ticket without a length', async () => [forged(await newTicket()), [chunked]]],
  [401, 'ticket_used', 'a used ticket', async () => [(await spent()).ticket, [length(5)]]],
  [401, 'ticket_used', 'a used ticket without a length', async () => [(await spent()).ticket, [chunked]]],
  [401, 'ticket_used', 'a used ticket without bytes', async () => [(await spent()).ticket, [length(0)]]],
  [401, 'ticket_used', 'a used ticket with too many', async () => [(await spent()).ticket, [length(26_214_401)]]],
  [411, 'content_length_required', 'a chunked body', async () => [(await newTicket()).ticket, [chunked]]],
  [411, 'content_length_required', 'neither length nor chunks', async () => [(await newTicket()).ticket, []]],
  [
    411,
    'content_length_required',
    'chunks of an image for a bad key',
    async () => [(await imageTicket(own)).ticket, [chunked, 'X-Key: A']],
  ],
  [400, 'empty_body', 'no bytes', async () => [(await newTicket()).ticket, [length(0)]]],
  [
    400,
    'empty_body',
    'no bytes of an image for a bad key',
    async () => [(await imageTicket(own)).ticket, [length(0), 'X-Key: A']],
  ],
  [413, 'too_large', 'a file of one byte too many', async () => [(await newTicket()).ticket, [length(26_214_401)]]],
  [
    413,
    'too_large',
    'an image of one byte too many',
    async () => [(await imageTicket(own)).ticket, [length(10_485_761)]],
  ],
  [413, 'too_large', 'a length beyond numbers', async () => [(await newTicket()).ticket, [length(1e15)]]],
  [
    413,
    'too_large',
    'too large an image for a bad key',
    async () => [(await imageTicket(own)).ticket, [length(10_485_761), 'X-Key: A']],
  ],
]

describe('hostile 71: a refusal by the head alone', () => {
  it.each(rows)(
    '[UP-022][UP-024][UP-025][UP-003][UP-018][UP-030][UP-034] %i %s: %s',
    async (status, error, _title, head) => {
      const [ticket, lines] = await head()
      const before = await settledKeys(bucketOf(system))
      // No byte of the body is sent: the answer waits for none.
      expectHostRefusal(await sendRaw(system, uploadHead(ticket, lines)), status, error)
      expect(await keysIn(bucketOf(system), '')).toEqual(before)
    },
  )

  it.each(rows.filter(([, , , head]) => head.toString().includes('length(')))(
    '[UP-022] %i %s: %s, to who asks for leave to send',
    async (status, error, _title, head) => {
      const [ticket, lines] = await head()
      // The first answer is the refusal: there is no 100 before it.
      expectHostRefusal(await sendRaw(system, uploadHead(ticket, [...lines, 'Expect: 100-continue'])), status, error)
    },
  )

  it('[UP-016] leave to send is given when all of the head is right, and then the bytes are taken', async () => {
    const ticket = await newTicket()
    const raw = new Raw(system.uploadUrl)
    raw.send(uploadHead(ticket.ticket, [length(5), 'Expect: 100-continue']))
    expect((await raw.reply(false)).status).toBe(100)
    raw.leave()
    const image = await imageTicket(own)
    const key = `u/${own.world}/leave.png`
    const begun = await begin(system, image as never, 64, [`X-Key: ${key}`])
    const reply = await begun.go(png(64)).answer()
    expect([reply.status, reply.body.key]).toEqual([201, key])
  })

  it('[UP-024] a bad X-Key is refused before leave is given', async () => {
    const { ticket } = await imageTicket(own)
    const head = uploadHead(ticket, [length(64), 'Expect: 100-continue', 'X-Key: nonsense'])
    const { status, body } = await sendRaw(system, head)
    expect([status, body.error]).toEqual([400, 'bad_key'])
  })
})

describe('a body that was refused', () => {
  it('[UP-022] is not read as requests', async () => {
    const [refused, hidden] = [await newTicket(), await newTicket()]
    const smuggled = `${uploadHead(hidden.ticket, [length(5)])}hello`
    for (const head of [
      uploadHead(null, [length(smuggled.length)]),
      uploadHead(refused.ticket, [length(26_214_401)]),
      uploadHead(forged(refused), [length(smuggled.length)]),
    ]) {
      const raw = new Raw(system.uploadUrl)
      raw.send(head)
      expect((await raw.reply()).status).toBeGreaterThanOrEqual(400)
      raw.send(smuggled)
      await raw.closed
      expect(raw.text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    }
    expect(await keysIn(bucketOf(system), hidden.key)).toEqual([])
    expect((await send(hidden as never, 'hello')).status).toBe(201)
  })

  it.each([
    ['a length and chunks', [length(5), chunked]],
    ['two lengths', [length(5), length(6)]],
    ['a length that is no number', ['Content-Length: five']],
    ['a length below none', ['Content-Length: -5']],
  ])('[UP-018][UP-022] is of no certain length: %s', async (_title, lines) => {
    const ticket = await newTicket()
    const { status, body } = await sendRaw(system, uploadHead(ticket.ticket, lines), 'hello')
    expect([status, Object.keys(body)]).toEqual([400, ['error']])
    expect(await keysIn(bucketOf(system), ticket.key)).toEqual([])
    expect((await send(ticket as never, 'hello')).status).toBe(201)
  })
})

describe('a refusal by the bytes', () => {
  const image = async (bytes: Uint8Array, key: string) => {
    const ticket = await imageTicket(own)
    const { status, body } = await send(ticket as never, bytes, { 'X-Key': key })
    return { ticket, outcome: [status, body.error] }
  }

  it.each([
    ['a bad key before what is no image', 400, 'bad_key', () => [gif, 'u/other/a.png'] as const],
    ['what is no image before its ending', 415, 'unsupported_type', () => [gif, `u/${own.world}/a`] as const],
    ['what is no image before a key that is taken', 415, 'unsupported_type', () => [gif, taken] as const],
    ['another ending before a key that is taken', 400, 'bad_key', () => [jpeg(), taken] as const],
    ['a key that is taken', 409, 'exists', () => [png(), taken] as const],
  ])('[UP-026][UP-029][UP-032][UP-035] tells %s', async (_title, status, error, sent) => {
    const { ticket, outcome } = await image(...sent())
    expect(outcome).toEqual([status, error])
    // No refusal spends a ticket.
    expect((await send(ticket as never, png())).status).toBe(201)
  })

  it('[UP-038] a kind is judged by its bytes, and its ticket is as good as before', async () => {
    const ticket = await newTicket('pdf')
    expectHostRefusal(await send(ticket as never, png()), 415, 'unsupported_type')
    expect(await keysIn(bucketOf(system), ticket.key)).toEqual([])
    expect((await send(ticket as never, '%PDF-1.7')).status).toBe(201)
  })

  it('[UP-038] what cannot be of its kind is refused before the rest of it has come', async () => {
    const ticket = await newTicket('pdf')
    const reply = await sendRaw(system, uploadHead(ticket.ticket, [length(26_214_400)]), 'not a pdf')
    expectHostRefusal(reply, 415, 'unsupported_type')
  })
})

it.each([
  ['by its head', async () => (await imageTicket(own)).ticket, png(10_485_761), 413, 'too_large'],
  ['by its bytes', async () => (await newTicket('pdf')).ticket, Buffer.alloc(20_000_000, 'x'), 415, 'unsupported_type'],
] as const)(
  '[UP-030] who reads only once all is sent finds the refusal: %s',
  async (_how, ticket, body, status, error) => {
    const { hostname, port } = new URL(system.uploadUrl)
    const socket = connect(Number(port), hostname)
    const head = uploadHead(await ticket(), [`Content-Length: ${body.length}`])
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.write(head)
      socket.write(body, () => resolve())
    })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    await until(() => text.includes('\r\n\r\n{'))
    expect(text).toContain(`HTTP/1.1 ${status} `)
    expect(text).toContain(`"error":"${error}"`)
    socket.destroy()
  },
)
