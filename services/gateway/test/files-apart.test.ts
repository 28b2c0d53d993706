import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addFile, ask, bucketOf, filesOf, fileTicket, keysIn, send, worldFiles } from './files-support'
import { newParty } from './permission-parties'
import { pausedQueue } from './queue-support'
import { expectBody, newOwner, type Owner } from './support'

/** Files stand beside elements: what reads or counts those knows nothing of these. */
let system: System
let own: Owner
let place: string

beforeAll(async () => {
  system = await startSystem({ files: true })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})

const bytesOf = (id = place) => keysIn(bucketOf(system), `w/${own.world}/${id}/`)

it('[FL-011][FL-012][FL-013][FL-014][FL-015] files move nothing and show nowhere in elements, feed and walk', async () => {
  const reader = await newParty(system, own, 'contributor')
  const { cursor } = expectBody(await reader.get('/api/v2/changes?head=true'), 200)
  const world = async () => [
    (await own.get(`/api/v2/location/${place}`)).text,
    (await own.get('/api/v2/location')).text,
    (await own.get('/api/v2/changes')).text,
    (await own.get('/api/v2/changes?since=0')).text,
    (await own.get('/api/v2/changes?head=true')).text,
    (await own.get('/api/v2/world')).text,
    (await own.get('/api/v2/world')).headers.get('etag'),
    (await reader.get(`/api/v2/changes?since=${encodeURIComponent(cursor)}`)).text,
  ]
  const before = await world()
  const { id } = await addFile(own, 'location', place, { label: 'description' })
  expect(await world()).toEqual(before)
  expect((await own.delete(`/api/v2/location/${place}/files/${id}`)).status).toBe(204)
  expect(await world()).toEqual(before)
})

it('[FL-015] a write of the element leaves its files', async () => {
  const { id } = await addFile(own, 'location', place)
  expectBody(await own.put(`/api/v2/location/${place}`, { name: 'Replaced' }), 200)
  expectBody(await own.patch(`/api/v2/location/${place}`, { name: 'Patched' }), 200)
  expect((await filesOf(own, 'location', place)).map((record) => record.id)).toEqual([id])
})

it('[FL-020][FL-021][FL-022] a file whose bytes are stored is neither listed nor counted before it is reported', async () => {
  const queue = pausedQueue(system, 'file-stored')
  await queue.pause()
  try {
    const ticket = await fileTicket(own, 'location', place)
    expect((await send(ticket as never, 'hello')).status).toBe(201)
    await until(async () => (await queue.waiting()) > 0)
    expect(await bytesOf()).toEqual([ticket.key])
    expect(await filesOf(own, 'location', place)).toEqual([])
    expect(await worldFiles(own)).toEqual({ data: [], used_bytes: 0, cap_bytes: 262_144_000 })
    const path = `/api/v2/location/${place}/files/${ticket.file_id}`
    expect([(await own.get(`${path}/download`)).status, (await own.delete(path)).status]).toEqual([404, 404])
    await queue.resume()
    await until(async () => (await filesOf(own, 'location', place)).length === 1)
    expect((await worldFiles(own)).used_bytes).toBe(5)
  } finally {
    await queue.close()
  }
})

it('[FL-025] the bytes of a removed file are gone', async () => {
  const { id } = await addFile(own, 'location', place)
  const { id: kept } = await addFile(own, 'location', place)
  expect(await bytesOf()).toHaveLength(2)
  expect((await own.delete(`/api/v2/location/${place}/files/${id}`)).status).toBe(204)
  await until(async () => (await bytesOf()).length === 1)
  expect(await bytesOf()).toEqual([`w/${own.world}/${place}/${kept}.txt`])
})

it('[FL-026] an element takes its files with it: listed, pending, and those whose tickets are open', async () => {
  const other = (await own.make('location')).id
  const kept = await addFile(own, 'location', other)
  await addFile(own, 'location', place)
  const open = await fileTicket(own, 'location', place)
  const pending = await fileTicket(own, 'location', place)
  const queue = pausedQueue(system, 'file-stored')
  await queue.pause()
  try {
    expect((await send(pending as never, 'hello')).status).toBe(201)
    expect((await own.delete(`/api/v2/location/${place}`)).status).toBe(204)
    expect((await own.get(`/api/v2/location/${place}/files`)).status).toBe(404)
    // A ticket outlives what it is for; what it brings does not.
    expect((await send(open as never, 'hello')).status).toBe(201)
    await until(async () => (await worldFiles(own)).used_bytes === 5)
    await queue.resume()
    await until(async () => (await bytesOf()).length === 0)
    await until(async () => (await queue.waiting()) === 0)
  } finally {
    await queue.close()
  }
  expect((await worldFiles(own)).data).toEqual([{ ...kept, element_type: 'location', element_id: other }])
  expect((await worldFiles(own)).used_bytes).toBe(5)
  expect(await bytesOf(other)).toHaveLength(1)
})

it('[FL-026] an element made again under its id has none of the files of the one before', async () => {
  const { id: file } = await addFile(own, 'location', place)
  const open = await fileTicket(own, 'location', place)
  const path = `/api/v2/location/${place}/files/${file}`
  const { url } = expectBody(await own.get(`${path}/download`), 200)
  const queue = pausedQueue(system, 'element-deleted')
  await queue.pause()
  try {
    expect((await own.delete(`/api/v2/location/${place}`)).status).toBe(204)
    expectBody(await own.put(`/api/v2/location/${place}`, { name: 'Again' }), 201)
    await until(async () => (await queue.waiting()) > 0)
    // The old files are there still, and nobody finds them.
    expect((await ask(url)).status).toBe(200)
    expect(await filesOf(own, 'location', place)).toEqual([])
    expect((await worldFiles(own)).data).toEqual([])
    expect([(await own.get(`${path}/download`)).status, (await own.delete(path)).status]).toEqual([404, 404])
    expect((await send(open as never, 'hello')).status).toBe(201)
  } finally {
    await queue.close()
  }
  await until(async () => (await bytesOf()).length === 0)
  expect((await ask(url)).status).toBe(404)
  const fresh = await addFile(own, 'location', place)
  expect((await filesOf(own, 'location', place)).map(({ id }) => id)).toEqual([fresh.id])
})

it('[FL-027] a deleted world takes all of its files', async () => {
  await addFile(own, 'location', place)
  const ticket = await fileTicket(own, 'location', place)
  const { id } = await addFile(own, 'location', place)
  const { url } = expectBody(await own.get(`/api/v2/location/${place}/files/${id}/download`), 200)
  const bearer = api(system.gateway, { Authorization: `Bearer ${own.token}` })
  expect((await bearer.delete(`/api/v2/account/worlds/${own.world}`)).status).toBe(204)
  expect((await send(ticket as never, 'hello')).status).toBe(201)
  await until(async () => (await keysIn(bucketOf(system), `w/${own.world}/`)).length === 0)
  expect((await ask(url)).status).toBe(404)
})
