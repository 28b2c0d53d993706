import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, filesOf } from './files-support'
import { importLegacyKey } from './legacy-keys'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'

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

const ids = (records: Body[]) => records.map(({ id }) => id)

describe('a legacy key', () => {
  it('[FL-030][FL-032][FL-035][AU-019] needs the PIN to read the files of a private world', async () => {
    const { id: file } = await addFile(own, 'location', place)
    const legacy = api(system.gateway, { 'API-Key': await importLegacyKey(system, own.world) })
    const path = `/api/v2/location/${place}/files`
    for (const at of [path, `${path}/${file}/download`, '/api/v2/world/files']) {
      expectRefusal(await legacy.get(at), 401, 'invalid_credentials', null)
      expectRefusal(await legacy.get(at, { 'API-Pin': '9999' }), 401, 'invalid_credentials', null)
      expectBody(await legacy.get(at, { 'API-Pin': own.pin }), 200)
    }
    const by = api(system.gateway, { 'API-Key': own.key })
    for (const at of [path, `${path}/${file}/download`, '/api/v2/world/files']) expectBody(await by.get(at), 200)
  })
})

describe('what is no route of files', () => {
  it.each<[keyof Api, (id: string, file: string) => string]>([
    ['put', (id) => `location/${id}/files`],
    ['patch', (id) => `location/${id}/files`],
    ['delete', (id) => `location/${id}/files`],
    ['get', (id, file) => `location/${id}/files/${file}`],
    ['put', (id, file) => `location/${id}/files/${file}`],
    ['patch', (id, file) => `location/${id}/files/${file}`],
    ['post', (id, file) => `location/${id}/files/${file}/download`],
    ['post', () => 'world/files'],
    ['get', (id) => `dragon/${id}/files`],
    ['post', (id) => `dragon/${id}/files`],
    ['get', () => 'media/ticket'],
    ['get', () => 'media/remove-ticket'],
    ['post', () => 'media'],
  ])('[ER-026][FL-033] is not found: %s', async (method, pathOf) => {
    const { id: file } = await addFile(own, 'location', place)
    expectRefusal(await own[method](`/api/v2/${pathOf(place, file)}`, undefined as never), 404, 'not_found', null)
    expect(ids(await filesOf(own, 'location', place))).toEqual([file])
  })
})
