import { createHash } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { addImage, ask, avif, bucketOf, imageTicket, jpeg, keysIn, png, send, settledKeys, webp } from './files-support'
import { realPng } from './images-support'
import { newParty, partyNames } from './permission-parties'
import { expectBody, expectRefusal, newOwner, newReader, type Owner } from './support'
import { expectBadKey, expectHostRefusal } from './uploads-support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem({ files: true, env: { file: { IMAGE_TICKETS: '1000' } } })
  own = await newOwner(system)
})
afterAll(() => system.stop())

const mint = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const prefix = () => `u/${own.world}/`

describe('an image ticket', () => {
  it('[IM-002][LM-010] is told whole', async () => {
    const before = Math.floor(Date.now() / 1000)
    const body = await imageTicket(own)
    const after = Math.ceil(Date.now() / 1000)
    expect(body).toEqual({
      ticket: expect.stringMatching(/./),
      upload_url: system.uploadUrl,
      prefix: prefix(),
      max_bytes: 10_485_760,
      exp: expect.any(Number),
      uses: 1,
      issued_to: { account: own.account.id, membership: null },
      kind: 'image',
    })
    expect(Number.isInteger(body.exp)).toBe(true)
    expect(body.exp).toBeGreaterThanOrEqual(before + 600)
    expect(body.exp).toBeLessThanOrEqual(after + 600)
  })

  it.each([undefined, '', '{}', ' {} '])('[IM-002] is asked for with nothing: %j', async (body) => {
    for (const slash of ['', '/']) expectBody(await own.post(`/api/v2/media/ticket${slash}`, body), 201)
  })

  it.each([
    ['{"size":1}', 'size'],
    ['{"name":"a.png","kind":"png"}', 'name'],
    ['{"__proto__":1}', '__proto__'],
    ['[]', null],
    ['null', null],
    ['"x"', null],
    ['{', null],
  ])('[IM-002] is refused with anything: %s', async (body, param) => {
    expectRefusal(await own.post('/api/v2/media/ticket', body), 422, 'invalid_request', param)
  })

  it('[IM-002][RA-006] takes no parameter', async () => {
    expectRefusal(await own.post('/api/v2/media/ticket?as=public'), 422, 'invalid_request', 'as')
    expectRefusal(await own.post('/api/v2/media/ticket?type=png'), 422, 'invalid_request', 'type')
  })

  it.each(partyNames)('[IM-002][AU-006] is given to whoever writes, and to nobody else: %s', async (name) => {
    const party = await newParty(system, own, name)
    const reply = await party.post('/api/v2/media/ticket')
    if (party.reads) return expectRefusal(reply, 403, 'permission_error', null)
    expect(expectBody(reply, 201).issued_to.membership).toBe(party.membership)
    expect((await send(reply.body, png())).status).toBe(201)
  })

  it('[IM-002] is issued to an account, a seat’s to its sponsor’s', async () => {
    const sponsor = await addMember(system, own, 'guest')
    const seat = await addSeat(system, own, { link: { sponsor_email: sponsor.account.email } })
    for (const { headers, membership } of [sponsor, seat]) {
      const { issued_to } = await imageTicket(api(system.gateway, { ...headers }))
      expect(issued_to).toEqual({ account: sponsor.account.id, membership })
    }
  })

  it('[IM-002] needs the PIN', async () => {
    for (const pin of [{}, { 'API-Pin': '9999' }] as Record<string, string>[]) {
      const by: Api = api(system.gateway, { 'API-Key': own.key, ...pin })
      expectRefusal(await by.post('/api/v2/media/ticket', '{'), 401, 'invalid_credentials', null)
    }
    const reader = await newReader(system, own)
    expectRefusal(await reader.post('/api/v2/media/ticket', '{'), 403, 'permission_error', null)
  })
})

describe('hostile 72: an image', () => {
  it.each([
    ['png', 'image/png', png()],
    ['a real png', 'image/png', realPng(64)],
    ['jpg', 'image/jpeg', jpeg()],
    ['webp', 'image/webp', webp()],
    ['avif', 'image/avif', avif()],
  ])('[UP-020][UP-035][UP-036] is told by its bytes: %s', async (title, type, bytes) => {
    const { status, body } = await send((await imageTicket(own)) as never, bytes, { 'Content-Type': 'text/html' })
    const etag = createHash('md5').update(bytes).digest('hex')
    const url = `${system.filesUrl}/${body.key}`
    expect([status, body]).toEqual([201, { key: expect.any(String), bytes: bytes.length, type, etag, url }])
    expect(body.key).toMatch(new RegExp(`^${prefix()}${mint}\\.${title.replace('a real ', '')}$`))
    const served = await ask(url)
    expect([served.status, served.bytes, served.headers.get('content-type')]).toEqual([200, bytes, type])
  })

  it('[UP-020] is served to anybody from anywhere, to be shown and to be kept', async () => {
    const bytes = realPng(16)
    const { url, etag } = await addImage(own, bytes)
    for (const method of ['GET', 'HEAD']) {
      const reply = await ask(url, { method, headers: { Origin: 'https://x.example' } })
      expect([reply.status, reply.bytes.length]).toEqual([200, method === 'GET' ? bytes.length : 0])
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': expect.stringMatching(/^public, max-age=\d{8}, immutable$/),
        'content-type': 'image/png',
        'content-length': String(bytes.length),
        'x-content-type-options': 'nosniff',
        etag: `"${etag}"`,
      })
      expect(reply.headers.get('content-disposition') ?? 'inline').toBe('inline')
    }
  })

  it('[UP-020] is sent again only to who has it not', async () => {
    const { url, etag } = await addImage(own)
    for (const known of [`"${etag}"`, `"x", "${etag}"`, `W/"${etag}"`, '*']) {
      const { status, bytes, headers } = await ask(url, { headers: { 'If-None-Match': known } })
      expect([status, bytes.length, headers.get('etag')]).toEqual([304, 0, `"${etag}"`])
    }
    expect((await ask(url, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200)
  })

  it('[UP-034] is of up to 10 MB', async () => {
    const bytes = png(10_485_760)
    const { url } = await addImage(own, bytes)
    expect((await ask(url)).bytes.equals(bytes)).toBe(true)
    expectHostRefusal(await send((await imageTicket(own)) as never, png(10_485_761)), 413, 'too_large')
  })

  it.each<[string, string | Buffer]>([
    ['a gif', 'GIF89a and so on'],
    ['an svg', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ['an svg with a prologue', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a page', '<!doctype html><img src="a.png">'],
    ['a bitmap', 'BM and so on and so on'],
    ['a tiff', Buffer.from('49492a0008000000', 'hex')],
    ['a sound', Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WAVEfmt ')])],
    ['a heic', Buffer.concat([Buffer.from('00000010', 'hex'), Buffer.from('ftypheic'), Buffer.alloc(20)])],
    ['a film', Buffer.concat([Buffer.from('00000010', 'hex'), Buffer.from('ftypisom'), Buffer.alloc(20)])],
    ['a pdf', '%PDF-1.7'],
    ['a png’s beginning cut off', png().subarray(1)],
    ['a png’s signature cut short', png().subarray(0, 7)],
    ['something before a png', Buffer.concat([Buffer.from(' '), png()])],
    ['a text', 'x'],
  ])('[UP-035][UP-037] is not %s', async (_title, bytes) => {
    const before = await settledKeys(bucketOf(system))
    const ticket = await imageTicket(own)
    const sent: Record<string, string>[] = [{}, { 'Content-Type': 'image/png' }, { 'X-Key': `${prefix()}refused.png` }]
    for (const headers of sent) {
      expectHostRefusal(await send(ticket as never, bytes, headers), 415, 'unsupported_type')
    }
    expect(await keysIn(bucketOf(system), '')).toEqual(before)
    expect((await send(ticket as never, png())).status).toBe(201)
  })
})

describe('hostile 72: a key of one’s own', () => {
  it.each<[string, () => Buffer]>([
    ['a.png', png],
    ['maps/world/a-b_c.1.png', png],
    ['a..b.png', png],
    ['-.png', png],
    ['a.jpg', jpeg],
    ['a.jpeg', jpeg],
    ['a.png.webp', webp],
    ['a.avif', avif],
    [`${'x'.repeat(200 - 39 - 4)}.png`, png],
  ])('[UP-019][UP-020][UP-027][UP-028] may be %s', async (name, bytes) => {
    const key = `${prefix()}${name}`
    const image = await addImage(own, bytes(), { 'X-Key': key })
    expect(image).toMatchObject({ key, url: `${system.filesUrl}/${key}` })
    expect((await ask(image.url)).bytes).toEqual(bytes())
  })

  it('[UP-019] that is empty is none', async () => {
    const { key } = await addImage(own, png(), { 'X-Key': '' })
    expect(key).toMatch(new RegExp(`^${prefix()}${mint}\\.png$`))
  })

  it.each<[string, (prefix: string) => string]>([
    ['of another world', () => `u/${own.account.id}/a.png`],
    ['of files', () => `w/${own.world}/a.png`],
    ['without the prefix', () => 'a.png'],
    ['with a slash before it', (start) => `/${start}a.png`],
    ['the prefix alone', (start) => start],
    ['the prefix without its slash', (start) => `${start.slice(0, -1)}a.png`],
    ['the prefix in capitals', (start) => `${start.toUpperCase()}a.png`],
    ['capitals', (start) => `${start}A.png`],
    ['capitals in the ending', (start) => `${start}a.PNG`],
    ['two slashes', (start) => `${start}a//b.png`],
    ['a slash at the start', (start) => `${start}/b.png`],
    ['a slash at the end', (start) => `${start}b.png/`],
    ['a part that is a dot', (start) => `${start}./b.png`],
    ['a part that leads up', (start) => `${start}../${own.account.id}/b.png`],
    ['a last part that leads up', (start) => `${start}b.png/..`],
    ['a space', (start) => `${start}a b.png`],
    ['a backslash', (start) => `${start}a\\b.png`],
    ['a percent sign', (start) => `${start}a%20b.png`],
    ['a question', (start) => `${start}a.png?x.png`],
    ['another letter', (start) => `${start}\u00fc.png`],
    ['201 characters', (start) => `${start}${'x'.repeat(201 - 39 - 4)}.png`],
    ['another ending', (start) => `${start}a.jpg`],
    ['an ending of no image', (start) => `${start}a.txt`],
    ['no ending', (start) => `${start}a`],
    ['an ending of the folder alone', (start) => `${start}a.png/b`],
    ['a dot at the end', (start) => `${start}a.png.`],
  ])('[UP-023][UP-026][UP-027][UP-028][UP-029] may not be %s', async (_title, keyOf) => {
    expect(prefix()).toHaveLength(39)
    const ticket = await imageTicket(own)
    const before = await settledKeys(bucketOf(system))
    expectBadKey(await send(ticket as never, png(), { 'X-Key': keyOf(prefix()) }))
    expect(await keysIn(bucketOf(system), '')).toEqual(before)
    expect((await send(ticket as never, png())).status).toBe(201)
  })

  it('[UP-032] is taken once: what is under it stays, and the ticket is good for another', async () => {
    const key = `${prefix()}once.png`
    const first = realPng(8)
    const { url } = await addImage(own, first, { 'X-Key': key })
    const ticket = await imageTicket(own)
    for (const bytes of [realPng(9), first]) {
      expectHostRefusal(await send(ticket as never, bytes, { 'X-Key': key }), 409, 'exists')
    }
    expect((await ask(url)).bytes).toEqual(first)
    expect((await send(ticket as never, png(), { 'X-Key': `${prefix()}twice.png` })).status).toBe(201)
  })
})
