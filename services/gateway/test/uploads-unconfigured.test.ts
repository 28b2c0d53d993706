import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { ask, askTicket, fileTicket, imageTicket, png, send, worldFiles } from './files-support'
import { newParty } from './permission-parties'
import { expectRefusal, newOwner, newReader, type Owner } from './support'
import { expectHostRefusal, sendRaw, uploadHead } from './uploads-support'

/** Uploads that are not configured: at the upload host, at the file service, or anywhere. */
let system: System
let own: Owner
let place: string

async function start(options: Parameters<typeof startSystem>[0]): Promise<void> {
  system = await startSystem(options)
  own = await newOwner(system)
  place = (await own.make('location')).id
}

async function expectUnavailable(by: Api, path: string, body?: unknown): Promise<void> {
  const reply = await by.post(path, body)
  expectRefusal(reply, 503, 'media_unavailable', null)
  expect(reply.headers.has('retry-after')).toBe(false)
}

describe('an upload host without keys', () => {
  beforeAll(() => start({ files: true, env: { 'upload-host': { TICKET_PUBLIC_KEYS: '' } } }))
  afterAll(() => system.stop())

  it('[UP-041] says that uploads are not configured, whatever is sent', async () => {
    const ticket = await fileTicket(own, 'location', place)
    const image = await imageTicket(own)
    const remove = system.uploadUrl.replace(/upload$/, 'remove')
    for (const reply of [
      await send(ticket as never, 'hello'),
      await send(image as never, png()),
      await send(ticket as never, '', {}, remove),
      await ask(system.uploadUrl, { method: 'POST', body: 'hello' }),
      await sendRaw(system, uploadHead('nonsense', ['Transfer-Encoding: chunked'])),
      await sendRaw(system, uploadHead(ticket.ticket, ['Content-Length: 5', 'Expect: 100-continue'])),
    ]) {
      expectHostRefusal(reply, 503, 'ticket_lane_unconfigured')
    }
  })

  it('[UP-031][UP-041][UP-042] but only after path and method', async () => {
    expectHostRefusal(await ask(system.uploadUrl), 405, 'method_not_allowed')
    expectHostRefusal(await ask(`${system.uploadUrl}s`, { method: 'POST' }), 404, 'not_found')
    expect((await ask(system.uploadUrl, { method: 'OPTIONS' })).status).toBe(204)
  })
})

describe('a file service that knows no upload host', () => {
  beforeAll(() => start({ files: true, env: { file: { UPLOAD_URL: '' } } }))
  afterAll(() => system.stop())

  it('[IM-011][IM-012] issues no tickets', async () => {
    await expectUnavailable(own, `/api/v2/location/${place}/files`, { name: 'a.txt', kind: 'txt', size: 1 })
    await expectUnavailable(own, '/api/v2/media/ticket')
  })

  it('[IM-011][FL-078] and says so after body, element and author, before how large', async () => {
    const contributor = await newParty(system, own, 'contributor')
    expectRefusal(await askTicket(own, 'location', place, { kind: 'exe' }), 422, 'invalid_request', 'kind')
    expectRefusal(await askTicket(own, 'location', randomUUID()), 404, 'not_found', null)
    expectRefusal(await askTicket(contributor, 'location', place), 403, 'not_author', null)
    expectRefusal(await askTicket(own, 'location', place, { size: 26_214_401 }), 503, 'media_unavailable', null)
    expectRefusal(await own.post('/api/v2/media/ticket', { x: 1 }), 422, 'invalid_request', 'x')
  })

  it('[FL-028][FL-036] but lists what there is', async () => {
    expect((await own.get(`/api/v2/location/${place}/files`)).body).toEqual({ data: [] })
    expect(await worldFiles(own)).toEqual({ data: [], used_bytes: 0, cap_bytes: 262_144_000 })
  })
})

describe('a system without files', () => {
  beforeAll(() => start({}))
  afterAll(() => system.stop())

  it('[IM-011][IM-012] issues no tickets', async () => {
    await expectUnavailable(own, `/api/v2/location/${place}/files`, { name: 'a.txt', kind: 'txt', size: 1 })
    await expectUnavailable(own, '/api/v2/media/ticket')
    await expectUnavailable(own, '/api/v2/media/remove-ticket', { key: `u/${own.world}/a.png` })
  })

  it('[IM-011] and asks who calls before it says so', async () => {
    const reader = await newReader(system, own)
    expectRefusal(await reader.post('/api/v2/media/ticket'), 403, 'permission_error', null)
    expectRefusal(await askTicket(reader, 'location', place), 403, 'permission_error', null)
    const without = api(system.gateway, { 'API-Key': own.key })
    expectRefusal(await without.post('/api/v2/media/ticket'), 401, 'invalid_credentials', null)
    expectRefusal(await api(system.gateway).post('/api/v2/media/ticket'), 401, 'invalid_credentials', null)
  })
})
