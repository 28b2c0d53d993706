import { encodeSearchCursor } from '@worlds/domain/cursor'
import { api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectRefused } from './members-support'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner
beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())

const pathOf = (q: string, more = '') => `/api/v2/search?q=${encodeURIComponent(q)}${more}`
const find = async (q: string, more = '', by: Pick<Owner, 'get'> = own): Promise<Body[]> =>
  expectBody(await by.get(pathOf(q, more)), 200).data
const names = async (q: string, more = '') => (await find(q, more)).map(({ name }) => name)

describe('search', () => {
  it('[SE-001] finds the whole name first, then its beginning, a part of it, and words of the text', async () => {
    const world = await newOwner(system)
    await world.make('law', { name: 'Other', description: 'A river runs here.' })
    await world.make('character', { name: 'Upriver' })
    await world.make('zone', { name: 'River Bend' })
    await world.make('location', { name: 'rIVER', supertype: 'Natural', image_url: 'http://i' })
    await world.make('object', { name: 'Riverbank' })
    await world.make('event', { name: 'Unrelated', supertype: 'river', subtype: 'river', description: 'rivers' })
    const { body, status } = await world.get(pathOf(' River '))
    expect(status).toBe(200)
    expect(body.data.map(({ name }: Body) => name)).toEqual(['rIVER', 'River Bend', 'Riverbank', 'Upriver', 'Other'])
    const { id, updated_at } = body.data[0]
    const row = {
      type: 'location',
      id,
      name: 'rIVER',
      supertype: 'Natural',
      subtype: '',
      image_url: 'http://i',
      updated_at,
    }
    expect(body).toEqual({ data: [row, ...body.data.slice(1)], has_more: false, next_cursor: null })
    expect(Object.keys(body.data[0])).toEqual(Object.keys(row))
    expect(updated_at).toBe((await world.read('location', id)).updated_at)
  })

  it('looks for whole words, all of them, in every text field', async () => {
    const world = await newOwner(system)
    await world.make('character', { name: 'A', background: 'Born in Überwald, sworn to nobody.' })
    await world.make('character', { name: 'B', motivations: 'überwald' })
    await world.make('character', { name: 'C', x_text: 'nobody' })
    const found = async (q: string) => (await find(q, '', world)).map(({ name }) => name)
    expect(await found('ÜBERWALD')).toEqual(['A', 'B'])
    expect(await found('nobody überwald')).toEqual(['A'])
    expect(await found('überwal')).toEqual([])
    expect(await found('nobody')).toEqual(['A'])
    await world.patch(`/api/v2/character/${(await find('nobody', '', world))[0]?.id}`, { background: 'Gone' })
    expect(await found('nobody')).toEqual([])
    expect(await found('gone')).toEqual(['A'])
  })

  it('takes every text literally', async () => {
    const world = await newOwner(system)
    const texts = [
      '100%',
      'a_b',
      'back\\slash',
      "it's",
      "' | 'x",
      'a & b',
      '!(c)',
      '***',
      '日本語',
      'ﬃ',
      '\u{1F600}',
      'ß',
      'İ',
      'a:*',
    ]
    for (const name of texts) await world.make('zone', { name })
    for (const q of texts) {
      const found = await find(q, '', world)
      expect(found.map(({ name }) => name)).toContain(q)
      expect(found.every(({ name }) => name.toLowerCase().includes(q.toLowerCase()))).toBe(true)
    }
    for (const q of ['%%%', '___', '\\\\\\', "''", ':|*', 'x | y', '()']) expect(await find(q, '', world)).toEqual([])
  })

  it('pages stably, by name and then id, each hit once', async () => {
    const world = await newOwner(system)
    const made = [...Array(30)].map((_, index) => ({ name: `${index % 2 ? 'x ' : ''}Tower ${index % 5}` }))
    await world.seed('object', made)
    await world.seed(
      'law',
      [...Array(5)].map((_, index) => ({ name: `L${index}`, description: 'the tower' })),
    )
    const whole = await find('tower', '&limit=100', world)
    expect(whole).toHaveLength(35)
    for (const limit of [1, 4, 7]) {
      const walked: Body[] = []
      for (let cursor = '', more = true; more; ) {
        const page = expectBody(await world.get(pathOf('tower', `&limit=${limit}${cursor}`)), 200)
        walked.push(...page.data)
        more = page.has_more
        expect(page.next_cursor === null).toBe(!more)
        cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
      }
      expect(walked).toEqual(whole)
    }
    expect(await find('tower', '', world)).toHaveLength(20)
    expect((await find('tower', '&limit=0', world)).length).toBe(1)
    expect((await find('tower', '&limit=1000', world)).length).toBe(35)
    expect((await find('tower', '&type=law', world)).map(({ type }) => type)).toEqual(Array(5).fill('law'))
    expect(await find('tower', '&type=law,object&limit=100', world)).toEqual(whole)
  })

  it('holds a sigma to be the same wherever in its word it stands', async () => {
    await own.seed('zone', [{ name: 'ΟΔΥΣΣΕΥΣ', description: 'ΤΗΣ ΙΘΑΚΗΣ' }])
    for (const q of ['ΟΔΥΣ', 'οδυσσευς', 'ΟΔΥΣΣΕΥΣ', 'ιθακης', 'ΙΘΑΚΗΣ']) {
      expect([q, await names(q)]).toEqual([q, ['ΟΔΥΣΣΕΥΣ']])
    }
    const { data } = expectBody(await own.get(`/api/v2/zone?name__icontains=${encodeURIComponent('ΟΔΥΣ')}`), 200)
    expect(data).toHaveLength(1)
  })

  it('refuses what it cannot read', async () => {
    await own.seed('zone', [{ name: 'Cursor 1' }, { name: 'Cursor 2' }])
    const { next_cursor } = expectBody(await own.get(pathOf('cursor', '&limit=1')), 200)
    const cursor = `&cursor=${encodeURIComponent(next_cursor)}`
    const scope = { worldId: own.world, q: 'cursor', types: [], as: '' }
    const here = { rank: 1, foldedName: 'cursor 1', id: '01980000-0000-7000-8000-00000000ab5e' }
    expectBody(await own.get(pathOf('cursor', `&cursor=${encodeSearchCursor(scope, here)}`)), 200)
    const places = [{ rank: 9 }, { id: 'x' }, { foldedName: 'a\0' }].map((wrong) => ({ ...here, ...wrong }))
    const cases: (readonly [string, string])[] = [
      ['/api/v2/search', 'q'],
      [pathOf(''), 'q'],
      [pathOf('   '), 'q'],
      [pathOf('x'.repeat(201)), 'q'],
      ['/api/v2/search?q=%00', 'q'],
      [pathOf('x', '&type='), 'type'],
      [pathOf('x', '&type=nothing'), 'type'],
      [pathOf('x', '&limit=a'), 'limit'],
      [pathOf('x', '&fields=name'), 'fields'],
      [pathOf('x', '&as='), 'as'],
      [pathOf('x', '&cursor=x'), 'cursor'],
      [pathOf('other', cursor), 'cursor'],
      [pathOf('cursor', `${cursor}&type=zone`), 'cursor'],
      ...places.map((place) => [pathOf('cursor', `&cursor=${encodeSearchCursor(scope, place)}`), 'cursor'] as const),
      [pathOf('%', `&cursor=${encodeSearchCursor({ ...scope, q: '%' }, { ...here, rank: 3 })}`), 'cursor'],
    ]
    for (const [path, param] of cases) expectRefusal(await own.get(path), 422, 'invalid_request', param)
    expect(await names('x'.repeat(200))).toEqual([])
    expectBody(await own.get(`${pathOf('cursor', cursor)}&limit=5`), 200)
    expectRefusal(await api(system.gateway).get(pathOf('x')), 401, 'invalid_credentials')
  })

  it('[HD-038][RA-004] shows what the reader sees, and nothing else', async () => {
    const world = await newOwner(system)
    const contributor = await addMember(system, world, 'contributor')
    const guest = await addMember(system, world, 'guest')
    const ids = await world.seed('character', [
      { name: 'Secret one' },
      { name: 'Secret two' },
      { name: 'Three', description: 'secret' },
    ])
    for (const id of ids.slice(1)) await world.put(`/api/v2/character/${id}/hidden`)
    const count = async (headers: Record<string, string>, more = '') =>
      (await find('secret', more, api(system.gateway, headers) as Owner)).map(({ name }) => name)
    expect(await count({ ...world.headers })).toEqual(['Secret one', 'Secret two', 'Three'])
    expect(await count({ ...contributor.headers })).toEqual(['Secret one'])
    expect(await count({ ...guest.headers })).toEqual([])
    expect(await count({ ...world.headers }, '&as=public')).toEqual(['Secret one'])
    expect(await count({ ...world.headers }, `&as=${guest.membership}`)).toEqual([])
    expect(await count({ ...world.headers }, `&as=${contributor.membership}&limit=1`)).toEqual(['Secret one'])
    const member = api(system.gateway, { ...contributor.headers })
    expectRefused(await member.get(pathOf('secret', '&as=public')), 'view_as_owner_only')
    const own = await api(system.gateway, { ...guest.headers }).post('/api/v2/character', { name: 'My secret' })
    expect(own.status).toBe(201)
    expect(await count({ ...guest.headers })).toEqual(['My secret'])
  })

  it('finds nothing of what was deleted, and nothing in another world', async () => {
    const world = await newOwner(system)
    const { id } = await world.make('law', { name: 'Ephemeral', description: 'unrepeatable words' })
    expect(await find('unrepeatable', '', own)).toEqual([])
    await world.delete(`/api/v2/law/${id}`)
    for (const q of ['ephemeral', 'unrepeatable']) expect(await find(q, '', world)).toEqual([])
    await world.put(`/api/v2/law/${id}`, { name: 'Back' })
    expect(await find('unrepeatable', '', world)).toEqual([])
  })
})
