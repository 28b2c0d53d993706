import { randomUUID } from 'node:crypto'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, addImage, askTicket, untilReported } from './files-support'
import { newParty, type Party } from './permission-parties'
import { newOwner, newReader, type Owner } from './support'

let system: System
let own: Owner
let place: string
let reader: Api
let guest: Party
let file: string
let image: string
beforeAll(async () => {
  system = await startSystem({ files: true })
  own = await newOwner(system)
  place = (await own.make('location')).id
  reader = await newReader(system, own)
  guest = await newParty(system, own, 'guest')
  file = (await addFile(own, 'location', place)).id
  image = (await addImage(own)).key
  await untilReported(own, image)
})
afterAll(() => system.stop())

const path = (more = '') => `/api/v2/location/${place}/files${more}`
const stranger = () => api(system.gateway)

it.each<[string, number, () => Promise<ApiReply>]>([
  ['a listing', 200, () => own.get(path())],
  ['the world’s listing', 200, () => own.get('/api/v2/world/files')],
  ['a ticket', 201, () => askTicket(own, 'location', place)],
  ['a download link', 200, () => own.get(path(`/${file}/download`))],
  ['an image ticket', 201, () => own.post('/api/v2/media/ticket')],
  ['no key', 401, () => stranger().get(path())],
  ['no key for the world', 401, () => stranger().get('/api/v2/world/files')],
  ['a key without its PIN', 401, () => api(system.gateway, { 'API-Key': own.key }).post(path(), {})],
  ['a read key’s wish for a ticket', 403, () => askTicket(reader, 'location', place)],
  ['a read key’s wish for an image ticket', 403, () => reader.post('/api/v2/media/ticket')],
  ['a removal by a read key', 403, () => reader.delete(path(`/${file}`))],
  ['what a guest does not see', 404, () => guest.get(path())],
  ['a file that is not there', 404, () => own.get(path(`/${randomUUID()}/download`))],
  ['the removal of one that is not there', 404, () => own.delete(path(`/${randomUUID()}`))],
  ['a malformed id', 422, () => own.get('/api/v2/location/nonsense/files')],
  ['a malformed file id', 422, () => own.delete(path('/nonsense'))],
  ['a bad ticket body', 422, () => askTicket(own, 'location', place, { kind: 'exe' })],
  ['a bad image ticket body', 422, () => own.post('/api/v2/media/ticket', { size: 1 })],
  ['a bad removal body', 422, () => own.post('/api/v2/media/remove-ticket', {})],
  ['too large a file', 413, () => askTicket(own, 'location', place, { size: 26_214_401 })],
  ['a removal already under way', 409, () => own.post('/api/v2/media/remove-ticket', { key: image })],
  ['an unknown image', 409, () => own.post('/api/v2/media/remove-ticket', { key: `u/${own.world}/x.png` })],
  ['a stray as', 422, () => own.get(path('?as=public'))],
  ['a removal', 204, () => own.delete(path(`/${file}`))],
])('[FL-039] is kept by nobody: %s', async (_title, status, call) => {
  const reply = await call()
  expect([reply.status, reply.headers.get('cache-control')]).toEqual([status, 'no-store'])
})
