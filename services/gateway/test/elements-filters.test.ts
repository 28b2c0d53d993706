import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

const idsOf = ({ data }: Body): string[] => data.map(({ id }: Body) => id)

describe('filters', () => {
  let own: Owner
  const named = async (query: string) => expectBody(await own.get(`/api/v2/character?${query}`), 200).data
  const names = async (query: string) => (await named(query)).map(({ name }: Body) => name)
  beforeAll(async () => {
    own = await newOwner(system)
    const elf = { supertype: 'Elf', subtype: 'Wood' }
    const elements = ['Ann', 'Anna', 'ann', 'ÉLAN', '50% off', 'a_b', 'axb', 'back\\slash'].map((name) => ({ name }))
    await own.seed('character', [...elements, { name: 'Legolas', ...elf }, { name: 'Elfling', supertype: 'elf' }])
  })

  it.each([
    ['LS-013', 'name=Ann', ['Ann']],
    ['LS-013', 'name=An', []],
    ['LS-014', 'name__icontains=nN', ['Ann', 'Anna', 'ann']],
    ['LS-014', 'name__icontains=%C3%A9l', ['ÉLAN']],
    ['LS-014', 'name__icontains=%25', ['50% off']],
    ['LS-014', 'name__icontains=A_B', ['a_b']],
    ['LS-014', 'name__icontains=%5C', ['back\\slash']],
    ['LS-014', 'name__icontains=zzz', []],
    ['LS-015', 'supertype=Elf', ['Legolas']],
    ['LS-016', 'subtype=Wood', ['Legolas']],
    ['LS-016', 'subtype=wood', []],
    ['LS-013', 'name=Legolas&supertype=Elf&subtype=Wood', ['Legolas']],
    ['LS-013', 'name=Ann&supertype=Elf', []],
  ])('[%s] %s finds its elements alone', async (_id, query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  it('[LS-012][LS-014] are kept by the cursor', async () => {
    const first = expectBody(await own.get('/api/v2/character?name__icontains=ann&limit=2'), 200)
    expect(await names(`name__icontains=ann&limit=2&cursor=${first.next_cursor}`)).toEqual(['ann'])
  })

  it.each([
    ['LS-023', 'nmae', 'x'],
    ['LS-023', 'description', 'x'],
    ['LS-023', 'name__contains', 'x'],
    ['LS-023', 'offset', '1'],
    ['LS-025', 'ordering', 'name'],
  ])('[%s] %s is no parameter of a list', async (_id, param, value) => {
    expectRefusal(await own.get(`/api/v2/character?${param}=${value}`), 422, 'invalid_request', param)
  })

  it('[LS-024] are listed by the message about an unknown one', async () => {
    const narrative = await own.get('/api/v2/narrative?foo=1')
    for (const name of ['name', 'name__icontains', 'supertype', 'subtype', 'characters']) {
      expect(narrative.body.error.message).toMatch(new RegExp(`\\b${name}\\b`))
    }
    const character = await own.get('/api/v2/character?foo=1')
    expect(character.body.error.message).toMatch(/\bname__icontains\b/)
    expect(character.body.error.message).not.toMatch(/\bcharacters\b/)
  })
})

const addressed = ['collective', 'construct', 'event', 'narrative', 'relation', 'title']
const others = ['character', 'creature', 'species', 'family', 'location', 'zone', 'map', 'pin', 'marker', 'ability']
others.push('trait', 'language', 'law', 'institution', 'object', 'phenomenon')

describe('the filter characters', () => {
  let own: Owner
  let ann: string
  beforeAll(async () => {
    own = await newOwner(system)
    ann = (await own.make('character')).id
  })

  it.each(addressed)('[LS-017][LS-018][LS-028] of %s finds the elements that name the Character', async (type) => {
    const { id: bob } = await own.make('character')
    const both = await own.make(type, { characters: [bob, ann] })
    await own.make(type, { characters: [bob] })
    await own.make(type)
    const { status, body } = await own.get(`/api/v2/${type}?characters=${ann}`)
    expect(status).toBe(200)
    expect(body).toEqual({ data: [both], has_more: false, next_cursor: null })
    expect(idsOf((await own.get(`/api/v2/${type}?characters=${ann.toUpperCase()}`)).body)).toEqual([both.id])
    expectRefusal(await own.get(`/api/v2/${type}?characters=abc`), 422, 'invalid_request', 'characters')
  })

  it('[LS-018] finds only what names the Character in characters', async () => {
    await own.make('relation', { actor: ann, name: 'By actor' })
    const { body } = await own.get(`/api/v2/relation?name=By+actor&characters=${ann}`)
    expect(body.data).toEqual([])
  })

  it('[LS-018] finds nothing for an id that is no Character', async () => {
    expect((await own.get(`/api/v2/event?characters=${randomUUID()}`)).body.data).toEqual([])
  })

  it.each(others)('[LS-019] is refused for %s', async (type) => {
    expectRefusal(await own.get(`/api/v2/${type}?characters=${ann}`), 422, 'invalid_request', 'characters')
  })
})
