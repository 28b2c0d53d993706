import { createHash } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import {
  addImage,
  ask,
  bucketOf,
  filesOf,
  fileTicket,
  imageTicket,
  keysIn,
  png,
  send,
  untilListed,
  untilReported,
} from './files-support'
import { type Body, expectBody, newOwner, type Owner } from './support'
import { begin, expectHostRefusal, sendRaw, uploadHead } from './uploads-support'

let system: System
let own: Owner
let place: string

beforeAll(async () => {
  system = await startSystem({ files: true, env: { file: { FILE_TICKETS: '1000', IMAGE_TICKETS: '1000' } } })
  own = await newOwner(system)
})
afterAll(() => system.stop())
beforeEach(async () => {
  place = (await own.make('location')).id
})

const newTicket = () => fileTicket(own, 'location', place)
const stored = () => keysIn(bucketOf(system), `w/${own.world}/${place}/`)
const host = () => new URL(system.uploadUrl).origin

async function bytesUnder(key: string): Promise<Buffer> {
  const found = await bucketOf(system).get(key, null, new AbortController().signal)
  const chunks: Buffer[] = []
  for await (const chunk of found?.body ?? []) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A refused ticket is as good as before, and nothing came of what was refused. */
async function expectUnspent(ticket: Body): Promise<void> {
  expect(await stored()).toEqual([])
  expect((await send(ticket as never, 'hello')).status).toBe(201)
}

describe('an upload', () => {
  it.each([
    ['a.txt', 'txt', Buffer.from('a text'), 'text/plain; charset=utf-8'],
    ['a.pdf', 'pdf', Buffer.from('%PDF-1.7 \0 and so on'), 'application/pdf'],
    ['a.md', 'md', Buffer.from('# Größe'), 'text/markdown; charset=utf-8'],
    ['a.csv', 'csv', Buffer.from('a;b'), 'text/csv; charset=utf-8'],
    ['a.yaml', 'yaml', Buffer.from('a: b'), 'application/yaml'],
    ['a.toml', 'toml', Buffer.from('a = 1'), 'application/toml'],
    ['a.json', 'json', Buffer.from('{}'), 'application/json'],
  ])(
    '[UP-001][UP-015][UP-016][UP-017][UP-021] stores what was sent and says so: %s',
    async (name, kind, bytes, type) => {
      const { ticket, upload_url, key, file_id } = await fileTicket(own, 'location', place, { name, kind })
      expect(new URL(upload_url).pathname).toBe('/v1/upload')
      const { status, body, headers } = await send({ ticket, upload_url }, bytes, { 'Content-Type': 'image/png' })
      const etag = createHash('md5').update(bytes).digest('hex')
      expect([status, body]).toEqual([201, { key, fid: file_id, bytes: bytes.length, type, etag }])
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(await bytesUnder(key)).toEqual(bytes)
      expect(await untilListed(own, 'location', place, file_id)).toMatchObject({
        id: file_id,
        kind,
        size: bytes.length,
      })
    },
  )

  it.each(['bearer', 'BEARER', 'BeArEr'])('[UP-016] takes the word %s in any case', async (word) => {
    const { ticket, upload_url } = await newTicket()
    const { status } = await ask(upload_url, {
      method: 'POST',
      body: 'hello',
      headers: { Authorization: `${word} ${ticket}` },
    })
    expect(status).toBe(201)
  })

  it.each([
    ['small', 100],
    ['kept in memory as a whole', 1_048_576],
    ['kept on disk', 1_048_577],
    ['of the greatest size', 26_214_400],
  ])('[UP-017] has any size: %s', async (_title, size) => {
    const bytes = Buffer.alloc(size)
    for (let at = 0; at < size; at += 1) bytes[at] = 97 + (at % 23)
    const ticket = await newTicket()
    expect((await send(ticket as never, bytes)).body).toMatchObject({ bytes: size })
    expect((await bytesUnder(ticket.key)).equals(bytes)).toBe(true)
  })

  it.each([
    ['another request', uploadHead(null, [], 'GET /v1/upload')],
    ['what is none', ' and more'],
  ])('[UP-017] is of the bytes it announced, and answered, whatever follows them: %s', async (_what, next) => {
    const { ticket, key } = await newTicket()
    const reply = await sendRaw(system, uploadHead(ticket, ['Content-Length: 5']), `hello${next}`)
    expect([reply.status, reply.body.bytes, (await bytesUnder(key)).toString()]).toEqual([201, 5, 'hello'])
  })

  it.each(['nonsense', '../x', 'A//B', 'x'.repeat(300), ''])(
    '[UP-019] of a file looks at no X-Key: %j',
    async (key) => {
      const ticket = await newTicket()
      const { status, body } = await send(ticket as never, 'hello', { 'X-Key': key })
      expect([status, body.key]).toEqual([201, ticket.key])
    },
  )

  it.each([
    ['less', 1, 'a longer text'],
    ['more', 26_214_400, 'hello'],
  ])('[UP-034] may be of another size than was declared: %s', async (_title, size, bytes) => {
    const ticket = await fileTicket(own, 'location', place, { size })
    expect((await send(ticket as never, bytes)).body).toMatchObject({ bytes: bytes.length })
  })

  it('[UP-017] that ends too early is none, and its ticket is good', async () => {
    const ticket = await newTicket()
    const begun = await begin(system, ticket as never, 5)
    begun.go('he').leave()
    let status = 0
    while (status !== 201) {
      const reply = await send(ticket as never, 'hello')
      status = reply.status
      // Until the first is seen to have left, it holds the ticket.
      if (status !== 201) expectHostRefusal(reply, 409, 'exists')
    }
    expect((await bytesUnder(ticket.key)).toString()).toBe('hello')
    await untilListed(own, 'location', place, ticket.file_id)
    expect(await filesOf(own, 'location', place)).toHaveLength(1)
  })
})

describe('what is no upload', () => {
  it.each([
    'GET /',
    'GET /v1',
    'GET /v1/x',
    'POST /v1/upload/',
    'POST /v1/remove/',
    'POST /v1//upload',
    'POST //v1/upload',
    'POST /V1/UPLOAD',
    'POST /v1/upload/x',
    'PUT /v1/files',
    'OPTIONS /v1/x',
    'GET /metrics',
    'GET /health',
  ])('[UP-022][UP-042] is not there: %s', async (call) => {
    const [method = '', path = ''] = call.split(' ')
    const { ticket } = await newTicket()
    const headers = { Authorization: `Bearer ${ticket}` }
    const body = method === 'GET' ? {} : { body: 'hello' }
    expectHostRefusal(await ask(`${host()}${path}`, { method, headers, ...body }), 404, 'not_found')
    expect(await stored()).toEqual([])
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'QUERY'])('[UP-031] is %s', async (method) => {
    const ticket = await newTicket()
    const headers = { Authorization: `Bearer ${ticket.ticket}` }
    for (const path of ['/v1/upload', '/v1/remove', '/v1/upload?x=1']) {
      expectHostRefusal(await ask(`${host()}${path}`, { method, headers }), 405, 'method_not_allowed')
      expectHostRefusal(await ask(`${host()}${path}`, { method }), 405, 'method_not_allowed')
    }
    await expectUnspent(ticket)
  })

  it('[UP-031] is HEAD, answered without a body', async () => {
    for (const path of ['/v1/upload', '/v1/remove']) {
      const { status, bytes, headers } = await ask(`${host()}${path}`, { method: 'HEAD' })
      expect([status, bytes.length, headers.get('access-control-allow-origin')]).toEqual([405, 0, '*'])
    }
  })

  it.each(['/v1/upload', '/v1/remove'])('[UP-031][UP-042] but what a browser asks before: OPTIONS %s', async (path) => {
    const asked = {
      Origin: 'https://x.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,x-key',
    }
    const { status, bytes, headers } = await ask(`${host()}${path}`, { method: 'OPTIONS', headers: asked })
    expect([status, bytes.length, headers.get('access-control-allow-origin')]).toEqual([204, 0, '*'])
    expect(headers.get('access-control-allow-methods')).toMatch(/\bPOST\b/)
    const allowed = (headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/, */)
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'x-key']))
    expect(headers.has('access-control-allow-credentials')).toBe(false)
  })

  it('[UP-022] is no HTTP', async () => {
    const reply = await sendRaw(system, 'POST /v1/upload HTTP/1.1\r\nno colon\r\n\r\n')
    expect([reply.status, Object.keys(reply.body)]).toEqual([400, ['error']])
  })

  it('[UP-001] are the routes of the API: they take no file’s bytes', async () => {
    const bytes = Buffer.from('%PDF-1.7')
    for (const path of [`location/${place}/files`, 'media/ticket', `location/${place}/files/upload`, 'v1/upload']) {
      const { status } = await own.post(`/api/v2/${path}`, bytes, { 'Content-Type': 'application/pdf' })
      expect([422, 404]).toContain(status)
    }
    expect(await stored()).toEqual([])
  })
})

describe('the tickets of one path', () => {
  it('[UP-025][IM-001] are no good at the other', async () => {
    const file = await newTicket()
    const image = await imageTicket(own)
    const { key, url } = await addImage(own, png())
    const { ticket, remove_url } = await untilReported(own, key)
    expect(new URL(remove_url).pathname).toBe('/v1/remove')
    for (const upload of [file, image]) {
      expectHostRefusal(await send(upload as never, '', {}, remove_url), 401, 'ticket_invalid')
    }
    expectHostRefusal(await send({ ticket, upload_url: system.uploadUrl }, png()), 401, 'ticket_invalid')
    expect((await ask(url)).status).toBe(200)
    await expectUnspent(file)
    expect((await send(image as never, png())).status).toBe(201)
    expect(expectBody({ ...(await send({ ticket, upload_url: '' }, '', {}, remove_url)), text: '' }, 201).removed).toBe(
      true,
    )
  })
})
