import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { newWorld, type World } from '@worlds/testkit/world'

/** The owner reads as the public and as a Character; reading as a member needs members. */
describe('read-as', () => {
  let system: System
  let world: World
  let owner: Api
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system.stop())
  beforeEach(async () => {
    world = await newWorld(system)
    owner = api(system.gateway, { ...world.headers })
  })

  const make = async (type: string, body: object): Promise<string> =>
    (await owner.post(`/api/v2/${type}`, body)).body.id
  const hide = (type: string, id: string) => owner.put(`/api/v2/${type}/${id}/hidden`)
  const idsOf = async (path: string): Promise<string[]> =>
    (await owner.get(path)).body.data.map(({ id }: { id: string }) => id)

  /** Two friends, of whom the second is hidden, in a town that is hidden too. */
  async function cast() {
    const town = await make('location', { name: 'Town' })
    const seen = await make('character', { name: 'Seen' })
    const hidden = await make('character', { name: 'Hidden' })
    const hub = await make('character', { name: 'Hub', location: town, friends: [seen, hidden], x_note: { a: 1e2 } })
    await hide('character', hidden)
    await hide('location', town)
    return { town, seen, hidden, hub }
  }

  it('[RA-001][RA-002][RA-011][RA-012][HD-036] as=public lists everything that is not hidden', async () => {
    const { seen, hub } = await cast()
    expect(await idsOf('/api/v2/character?as=public')).toEqual([seen, hub])
    expect(await idsOf('/api/v2/location?as=public')).toEqual([])
    expect(await idsOf('/api/v2/character')).toHaveLength(3)
  })

  it('[RA-003][RA-012][HD-035] as=public answers a hidden element exactly as a missing one', async () => {
    const { hidden } = await cast()
    const replies = await Promise.all(
      [hidden, randomUUID()].map((id) => owner.get(`/api/v2/character/${id}?as=public`)),
    )
    for (const { status, body } of replies) expect([status, body.error.code]).toEqual([404, 'not_found'])
    expect(replies[0]?.text).toBe(replies[1]?.text)
    expect((await owner.get(`/api/v2/character/${hidden}`)).status).toBe(200)
  })

  it('[HD-042][HD-043][HD-044][HD-045] leaves links to what is hidden out of bodies, lists and expansion', async () => {
    const { town, seen, hub, hidden } = await cast()
    const own = (await owner.get(`/api/v2/character/${hub}`)).body
    const cut = (await owner.get(`/api/v2/character/${hub}?as=public`)).body
    expect(own).toMatchObject({ location: town, friends: [seen, hidden] })
    expect(cut).toEqual({ ...own, location: null, friends: [seen] })
    expect(Object.keys(cut)).toEqual(Object.keys(own))
    const listed = (await owner.get('/api/v2/character?as=public&name=Hub')).body.data
    expect(listed).toEqual([cut])
    const expanded = (await owner.get(`/api/v2/character/${hub}?as=public&expand=location,friends`)).body
    expect(expanded.location).toBeNull()
    expect(expanded.friends.map(({ name }: { name: string }) => name)).toEqual(['Seen'])
  })

  it('[HD-037] finds nothing by a hidden Character, nor what is hidden by a seen one', async () => {
    const { seen, hidden } = await cast()
    const open = await make('narrative', { name: 'open', characters: [seen, hidden] })
    const secret = await make('narrative', { name: 'secret', characters: [seen] })
    await hide('narrative', secret)
    expect(await idsOf(`/api/v2/narrative?characters=${seen}&as=public`)).toEqual([open])
    expect(await idsOf(`/api/v2/narrative?characters=${hidden}&as=public`)).toEqual([])
    expect(await idsOf(`/api/v2/narrative?characters=${hidden}`)).toEqual([open])
  })

  it('[HD-040] leaves what is hidden out of has_more and of the pages’ length', async () => {
    const ids = []
    for (let n = 0; n < 9; n += 1) ids.push(await make('event', { name: `${n}` }))
    for (const n of [1, 3, 8]) await hide('event', ids[n] as string)
    const walked: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await owner.get(`/api/v2/event?as=public&limit=2${cursor}`)
      walked.push(...body.data.map(({ name }: { name: string }) => name))
      expect(body.data).toHaveLength(2)
      if (!body.has_more) {
        expect(body.next_cursor).toBeNull()
        break
      }
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(walked).toEqual(['0', '2', '4', '5', '6', '7'])
  })

  it('[RA-009][RA-010] as=<Character> sees itself, what names it and the roster’s Characters', async () => {
    const { seen, hidden, hub } = await cast()
    const addressed = await make('narrative', { name: 'to Seen', characters: [seen] })
    await make('narrative', { name: 'to nobody' })
    expect(await idsOf(`/api/v2/narrative?as=${seen}`)).toEqual([addressed])
    expect(await idsOf(`/api/v2/character?as=${seen}`)).toEqual([seen])
    await owner.patch('/api/v2/world', { owner_character: hub })
    expect(await idsOf(`/api/v2/character?as=${seen}`)).toEqual([seen, hub])
    // What the roster's Character links to is cut to what is seen.
    expect((await owner.get(`/api/v2/character/${hub}?as=${seen}`)).body).toMatchObject({
      location: null,
      friends: [seen],
    })
    expect((await owner.get(`/api/v2/character/${hidden}?as=${seen}`)).status).toBe(404)
    expect(await idsOf(`/api/v2/character?as=${hidden}`)).toEqual([hub])
  })

  it('[RA-022][RA-023] a deleted element is 404 as a Character and as the public', async () => {
    const { seen } = await cast()
    const gone = await make('event', { name: 'gone' })
    await owner.delete(`/api/v2/event/${gone}`)
    for (const as of ['public', seen]) expect((await owner.get(`/api/v2/event/${gone}?as=${as}`)).status).toBe(404)
  })

  it.each(['xyz', '', 'Public', randomUUID(), 'a location', 'another world'])(
    '[RA-016] as=%s is 422',
    async (value) => {
      const other = api(system.gateway, { ...(await newWorld(system)).headers })
      const known: Record<string, string> = {
        'a location': await make('location', { name: 'L' }),
        'another world': (await other.post('/api/v2/character', { name: 'C' })).body.id,
      }
      for (const path of ['/api/v2/character', `/api/v2/character/${randomUUID()}`]) {
        const { status, body } = await owner.get(`${path}?as=${encodeURIComponent(known[value] ?? value)}`)
        expect([status, body.error.code, body.error.param]).toEqual([422, 'invalid_request', 'as'])
      }
    },
  )

  it('[RA-014] takes as from a legacy key and from the owner’s read key', async () => {
    const { seen, hub } = await cast()
    const { body } = await api(system.gateway, { Authorization: `Bearer ${world.token}` }).post(
      `/api/v2/account/worlds/${world.world}/keys`,
      { scope: 'read' },
    )
    const listed = await api(system.gateway, { 'API-Key': body.key }).get('/api/v2/character?as=public')
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([seen, hub])
  })

  it('binds a cursor to whose eyes it was given for', async () => {
    for (let n = 0; n < 3; n += 1) await make('event', { name: `${n}` })
    const { next_cursor } = (await owner.get('/api/v2/event?as=public&limit=1')).body
    const { status, body } = await owner.get(`/api/v2/event?limit=1&cursor=${next_cursor}`)
    expect([status, body.error.param]).toEqual([422, 'cursor'])
  })

  it.each(['/api/v2/world', '/api/v2/changes', '/api/v2/members', '/api/v2/me', '/api/v2/world/hidden'])(
    '[RA-006] as is 422 on %s',
    async (path) => {
      const { status, body } = await owner.get(`${path}?as=public`)
      expect([status, body.error.code, body.error.param]).toEqual([422, 'invalid_request', 'as'])
    },
  )
})
