import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, categoryOf, expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `N${index}` }))
const idsOf = ({ data }: Body): string[] => data.map(({ id }: Body) => id)

/** Ids of every page, in the order they came. */
async function walk(own: Owner, path: string, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const page = expectBody(await own.get(`${path}?limit=${limit}${cursor}`), 200)
    ids.push(...idsOf(page))
    if (!page.has_more) return ids
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

describe('pages', () => {
  let own: Owner
  let ids: string[]
  beforeAll(async () => {
    own = await newOwner(system)
    ids = await own.seed('zone', numbered(1000))
    ids.push((await own.make('zone')).id)
    await own.seed('map', numbered(101))
    await own.seed('law', numbered(3))
  })

  it('[LS-004][LS-005] have data of whole elements, has_more and next_cursor', async () => {
    const { status, body } = await own.get('/api/v2/law')
    const elements = await Promise.all(idsOf(body).map((id) => own.read('law', id)))
    expect(status).toBe(200)
    expect(body).toEqual({ data: elements, has_more: false, next_cursor: null })
    expect(Object.keys(body)).toEqual(['data', 'has_more', 'next_cursor'])
  })

  it('[LS-004][LS-007] are empty without elements', async () => {
    expect((await own.get('/api/v2/trait')).body).toEqual({ data: [], has_more: false, next_cursor: null })
  })

  it('[LS-006][LS-007] have a cursor exactly while more rows follow', async () => {
    const first = expectBody(await own.get('/api/v2/law?limit=2'), 200)
    expect([first.data.length, first.has_more, typeof first.next_cursor]).toEqual([2, true, 'string'])
    const last = expectBody(await own.get(`/api/v2/law?limit=2&cursor=${first.next_cursor}`), 200)
    expect([last.data.length, last.has_more, last.next_cursor]).toEqual([1, false, null])
    const exact = expectBody(await own.get('/api/v2/law?limit=3'), 200)
    expect([exact.data.length, exact.has_more, exact.next_cursor]).toEqual([3, false, null])
  })

  it.each([
    ['LS-008', 'map', '', 100],
    ['LS-009', 'map', '?limit=0', 1],
    ['LS-009', 'map', '?limit=-3', 1],
    ['LS-010', 'zone', '?limit=5000', 1000],
    ['LS-010', 'zone', '?limit=99999999999999999999', 1000],
    ['LS-010', 'zone', '?limit=1000', 1000],
  ])('[%s] of %s%s hold %i rows', async (_id, type, query, rows) => {
    const { status, body } = await own.get(`/api/v2/${type}${query}`)
    expect([status, body.data.length, body.has_more]).toEqual([200, rows, true])
  })

  it.each(['abc', '1.5', '', '1e2', '0x10'])('[LS-011] refuse limit=%s', async (limit) => {
    expectRefusal(await own.get(`/api/v2/map?limit=${limit}`), 422, 'invalid_request', 'limit')
  })

  it('[LS-012] of one row walk to every element once', async () => {
    expect(await walk(own, '/api/v2/law', 1)).toEqual(idsOf((await own.get('/api/v2/law')).body))
  })

  it('[LS-027][LS-026] of 70 rows walk to every element once, in change order', async () => {
    expect(await walk(own, '/api/v2/zone', 70)).toEqual(ids)
  })

  it('[LS-012] refuse a cursor that was not given for the list', async () => {
    const other = await newOwner(system)
    const { next_cursor: cursor } = expectBody(await own.get('/api/v2/zone?limit=1'), 200)
    const replies = [
      await own.get('/api/v2/zone?cursor=abc'),
      await own.get('/api/v2/zone?cursor='),
      await own.get(`/api/v2/zone?cursor=${cursor}A`),
      await own.get(`/api/v2/map?cursor=${cursor}`),
      await own.get(`/api/v2/zone?name=N1&cursor=${cursor}`),
      await other.get(`/api/v2/zone?cursor=${cursor}`),
    ]
    for (const reply of replies) expectRefusal(reply, 422, 'invalid_request', 'cursor')
  })
})

describe('change order', () => {
  it('[LS-026] puts what was written last at the end', async () => {
    const own = await newOwner(system)
    const [a, b] = await own.seed('character', [{ name: 'A' }, { name: 'B' }])
    await own.patch(`/api/v2/character/${a}`, { description: 'moved' })
    expect(idsOf((await own.get('/api/v2/character')).body)).toEqual([b, a])
  })

  it('[LS-026] shows an element again that moves in the midst of a walk, and never misses one', async () => {
    const own = await newOwner(system)
    const ids = await own.seed('character', numbered(4))
    const first = expectBody(await own.get('/api/v2/character?limit=2'), 200)
    await own.patch(`/api/v2/character/${ids[0]}`, { description: 'moved' })
    const second = expectBody(await own.get(`/api/v2/character?cursor=${first.next_cursor}`), 200)
    expect(idsOf(second)).toEqual([ids[2], ids[3], ids[0]])
    expect(second.data[2].description).toBe('moved')
  })

  it('[LS-005] shows only the elements of the world', async () => {
    const [own, other] = [await newOwner(system), await newOwner(system)]
    await other.make('character')
    const { id } = await own.make('character')
    expect(idsOf((await own.get('/api/v2/character')).body)).toEqual([id])
  })
})

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

describe('expand and fields', () => {
  let own: Owner
  let ann: Body
  const stubs: Record<string, Body> = {}
  beforeAll(async () => {
    own = await newOwner(system)
    const texts = { supertype: 'A', subtype: 'B', image_url: 'https://a/b.png' }
    const home = await own.make('location', { name: 'Home', ...texts })
    const eve = await own.make('character', { name: 'Eve', ...texts })
    const bob = await own.make('character', { name: 'Bob', friends: [eve.id], description: 'A friend' })
    ann = await own.make('character', { name: 'Ann', friends: [bob.id, eve.id], location: home.id, x_a: 1 })
    for (const { id, name, supertype, subtype, image_url } of [home, eve, bob]) {
      stubs[name] = { id, name, supertype, subtype, image_url }
    }
  })
  const both = async (query: string): Promise<Body[]> => {
    const single = expectBody(await own.get(`/api/v2/character/${ann.id}?${query}`), 200)
    const list = expectBody(await own.get(`/api/v2/character?name=Ann&${query}`), 200)
    return [single, ...list.data]
  }

  it('[LS-001][LS-002][LS-003] a multi link reads as stubs, in order, without links of their own', async () => {
    const body = { ...ann, friends: [stubs.Bob, stubs.Eve] }
    expect(await both('expand=friends')).toEqual([body, body])
  })

  it('[LS-001][LS-020] several fields are expanded together', async () => {
    const body = { ...ann, friends: [stubs.Bob, stubs.Eve], location: stubs.Home }
    expect(await both('expand=location,friends')).toEqual([body, body])
  })

  it('[LS-001] links that name nothing stay null and empty', async () => {
    const body = { ...ann, birthplace: null, rivals: [] }
    expect(await both('expand=birthplace,rivals')).toEqual([body, body])
  })

  it.each(['name', 'id', 'zzz', 'x_a', 'location,name', 'friends.location', 'characters'])(
    '[LS-021] expand=%s is no link field',
    async (expand) => {
      for (const path of ['/api/v2/character', `/api/v2/character/${ann.id}`]) {
        expectRefusal(await own.get(`${path}?expand=${expand}`), 422, 'invalid_request', 'expand')
      }
    },
  )

  it('[LS-021] the link of a pin is not expanded', async () => {
    for (const name of ['element_id', 'element_type']) {
      expectRefusal(await own.get(`/api/v2/pin?expand=${name}`), 422, 'invalid_request', 'expand')
    }
  })

  it.each(['character', 'event', 'pin', 'location'])('[LS-020] every link of %s may be expanded', async (type) => {
    const links = categoryOf(type).fields.filter(({ kind }) => kind === 'single_link' || kind === 'multi_link')
    const { status } = await own.get(`/api/v2/${type}?expand=${links.map(({ name }) => name).join()}`)
    expect(status).toBe(200)
  })

  it('[LS-022] fields are shown as asked beside type, id and updated_at', async () => {
    const { type, id, name, updated_at } = ann
    expect(await both('fields=id,name')).toEqual([
      { type, id, name, updated_at },
      { type, id, name, updated_at },
    ])
  })

  it('[LS-022] expands nothing of a field that was not asked for', async () => {
    const { type, id, updated_at } = ann
    const body = { type, id, friends: [stubs.Bob, stubs.Eve], updated_at }
    expect(await both('fields=friends&expand=friends,location')).toEqual([body, body])
  })

  it('[LS-022] an unknown field is refused', async () => {
    expectRefusal(await own.get('/api/v2/character?fields=name,zzz'), 422, 'invalid_request', 'fields')
  })
})
