import { categories } from '@worlds/domain/registry'
import { type Api, api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, newOwner, newReader, type Owner } from './support'

const root = '/api/metadata'
let system: System
let own: Owner
let anyone: Api
beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  anyone = api(system.gateway)
})
afterAll(() => system.stop())

const used = ({ supertypes }: Body) =>
  supertypes
    .filter((row: Body) => row.used > 0)
    .map(({ value, used, subtypes }: Body) => [
      value,
      used,
      ...subtypes.filter((row: Body) => row.used > 0).map((row: Body) => [row.value, row.used]),
    ])

describe('metadata', () => {
  it('[MD-001] lists a category’s fields and its supertypes, suggested and used', async () => {
    const world = await newOwner(system)
    await world.seed('location', [
      { name: 'a', supertype: 'Biome', subtype: 'Forest' },
      { name: 'b', supertype: 'Biome', subtype: 'Weird' },
      { name: 'c', supertype: 'Zzz', subtype: 'y' },
      { name: 'd', supertype: 'Aaa' },
      { name: 'e', subtype: 'lonely' },
    ])
    for (const path of [`${root}/location/`, `${root}/location`]) {
      const body = expectBody(await world.get(path), 200)
      expect(Object.keys(body)).toEqual(['type', 'fields', 'supertypes'])
      expect(body.type).toBe('location')
      expect(body.fields[0]).toEqual({
        name: 'form',
        kind: 'text',
        target: null,
        section: 'Setting',
        minimum: null,
        maximum: null,
      })
      expect(body.fields.map(({ name }: Body) => name)).toEqual(
        categories.get('location')?.fields.map(({ name }) => name),
      )
      const values = body.supertypes.map(({ value }: Body) => value)
      expect(values.slice(0, 2)).toEqual(['Anomalous', 'Biome'])
      expect(values.slice(-2)).toEqual(['Aaa', 'Zzz'])
      const biome = body.supertypes[1]
      expect(biome).toMatchObject({ value: 'Biome', suggested: true, used: 2 })
      expect(biome.subtypes[0]).toEqual({ value: 'Desert', suggested: true, used: 0 })
      expect(biome.subtypes.at(-1)).toEqual({ value: 'Weird', suggested: false, used: 1 })
      expect(body.supertypes.at(-1)).toEqual({
        ...{ value: 'Zzz', suggested: false, used: 1 },
        subtypes: [{ value: 'y', suggested: false, used: 1 }],
      })
      expect(used(body)).toEqual([
        ['Biome', 2, ['Forest', 1], ['Weird', 1]],
        ['Aaa', 1],
        ['Zzz', 1, ['y', 1]],
      ])
    }
  })

  it('shows kinds, targets and bounds', async () => {
    const fieldOf = async (type: string, wanted: string) =>
      expectBody(await anyone.get(`${root}/${type}/`), 200).fields.find(({ name }: Body) => name === wanted)
    expect(await fieldOf('character', 'friends')).toMatchObject({ kind: 'multi_link', target: 'character' })
    expect(await fieldOf('character', 'location')).toMatchObject({ kind: 'single_link', target: 'location' })
    expect(await fieldOf('character', 'charisma')).toMatchObject({ kind: 'integer', minimum: 0, maximum: 100 })
    expect(await fieldOf('pin', 'element_type')).toMatchObject({ kind: 'text', target: null })
    expect(await fieldOf('pin', 'element_id')).toMatchObject({ kind: 'single_link', target: null })
  })

  it('[MD-002] lists a category’s sections', async () => {
    for (const path of [`${root}/zone/sections/`, `${root}/zone/sections`]) {
      const body = expectBody(await own.get(path), 200)
      expect(body).toEqual({
        type: 'zone',
        sections: [
          { name: 'Scope', fields: ['role', 'start_date', 'end_date', 'phenomena', 'linked_zones'] },
          { name: 'World', fields: ['context', 'populations', 'titles', 'principles'] },
        ],
      })
      expect((await anyone.get(path)).body).toEqual(body)
    }
  })

  it('[HD-039][RA-005] counts what the reader sees', async () => {
    const world = await newOwner(system)
    const contributor = await addMember(system, world, 'contributor')
    const [, hidden] = await world.seed('law', [
      { name: 'a', supertype: 'Civil' },
      { name: 'b', supertype: 'Civil' },
    ])
    await world.put(`/api/v2/law/${hidden}/hidden`)
    const count = async (by: Api, query = '') => used(expectBody(await by.get(`${root}/law/${query}`), 200))
    const member = api(system.gateway, { ...contributor.headers })
    expect(await count(world)).toEqual([['Civil', 2]])
    expect(await count(await newReader(system, world))).toEqual([['Civil', 2]])
    expect(await count(member)).toEqual([['Civil', 1]])
    expect(await count(world, '?as=public')).toEqual([['Civil', 1]])
    expect(await count(world, `?as=${contributor.membership}`)).toEqual([['Civil', 1]])
    expect(await count(anyone)).toEqual([])
  })

  it('[RA-018] refuses in its own shape', async () => {
    const contributor = await addMember(system, own, 'contributor')
    const member = api(system.gateway, { ...contributor.headers })
    const expectCode = async (by: Api, path: string, status: number, code: string) => {
      const reply = await by.get(`${root}${path}`)
      const error = { code, detail: expect.stringMatching(/./) }
      expect({ status: reply.status, body: reply.body }).toEqual({ status, body: { error } })
    }
    for (const path of ['/character/', '/character/sections/']) {
      await expectCode(own, `${path}?as=bad`, 422, 'invalid_request')
      await expectCode(own, `${path}?as=`, 422, 'invalid_request')
      await expectCode(own, `${path}?other=1`, 422, 'invalid_request')
      await expectCode(anyone, `${path}?other=1`, 422, 'invalid_request')
      await expectCode(member, `${path}?as=public`, 403, 'view_as_owner_only')
      await expectCode(anyone, `${path}?as=public`, 401, 'invalid_credentials')
      await expectCode(api(system.gateway, { 'API-Key': 'ow_r_no' }), path, 401, 'invalid_credentials')
    }
    for (const path of ['/nothing/', '/Character/', '/nothing/sections/'])
      await expectCode(anyone, path, 404, 'not_found')
    for (const path of ['/', '/character/nothing/', '/character/sections/x/']) {
      expect((await anyone.get(`${root}${path}`)).body.error).toMatchObject({ type: 'not_found' })
    }
    expect((await own.post(`${root}/character/`, {})).body.error).toMatchObject({ type: 'not_found' })
  })
})
