import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, categoryOf, expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

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
