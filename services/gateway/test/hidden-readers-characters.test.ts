import { type Api, api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat, mintReadKey } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { newParty } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const hide = async (id: string) => expect((await own.put(`/api/v2/character/${id}/hidden`)).status).toBe(204)
const show = async (id: string) => expect((await own.delete(`/api/v2/character/${id}/hidden`)).status).toBe(204)
const playedOn = async (by: Api): Promise<(string | null)[]> =>
  expectBody(await by.get('/api/v2/members'), 200).data.map(({ character }: Body) => character)
const meOf = async (by: Api): Promise<string | null> => expectBody(await by.get('/api/v2/me'), 200).character
const worldOf = async (by: Api): Promise<Body> => expectBody(await by.get('/api/v2/world'), 200)

const cut = [
  'contributor',
  'contributor seat',
  'read key of a contributor',
  'guest',
  'read key of a guest',
  'player',
] as const
const full = ['owner', 'read key of the owner', 'co_builder', 'co_builder seat'] as const

describe.each([...cut, ...full])('hidden Characters, to a %s', (name) => {
  const seesAll = (full as readonly string[]).includes(name)

  it('[HD-046] read null in the roster', async () => {
    const chosen = (await own.make('character')).id
    await addMember(system, own, 'contributor', { rosterCharacter: chosen })
    const seat = await addSeat(system, own)
    const reader = await newParty(system, own, name)
    const before = await playedOn(reader)
    await hide(chosen)
    await hide(seat.character ?? '')
    expect(before.slice(1, 3)).toEqual([chosen, seat.character])
    expect(await playedOn(reader)).toEqual(seesAll ? before : [null, null, null, ...before.slice(3)])
    expect(await playedOn(own)).toEqual(before)
  })

  it('[HD-048][WD-023] read null in owner_character, with another ETag', async () => {
    const { id } = await own.make('character')
    expectBody(await own.patch('/api/v2/world', { owner_character: id }), 200)
    const reader = await newParty(system, own, name)
    const before = await reader.get('/api/v2/world')
    const etag = before.headers.get('etag') ?? ''
    expect(before.body.owner_character).toBe(id)
    await hide(id)
    const shown = seesAll ? id : null
    expect(await worldOf(reader)).toEqual({ ...before.body, owner_character: shown })
    expect((await playedOn(reader))[0]).toBe(shown)
    const again = await reader.get('/api/v2/world', { 'If-None-Match': etag })
    expect(again.status).toBe(seesAll ? 304 : 200)
    expect(again.headers.get('etag') === etag).toBe(seesAll)
    const whole = await own.get('/api/v2/world')
    expect(whole.body.owner_character).toBe(id)
    const theirs = { 'If-None-Match': whole.headers.get('etag') ?? '' }
    expect((await reader.get('/api/v2/world', theirs)).status).toBe(seesAll ? 304 : 200)
    await show(id)
    expect((await reader.get('/api/v2/world', { 'If-None-Match': etag })).status).toBe(304)
  })
})

describe('the Character that a reader plays', () => {
  /** Members that play a Character of the owner's. */
  const playing: readonly [string, (character: string) => Promise<Api[]>][] = [
    [
      'contributor',
      async (rosterCharacter) => {
        const { headers, token } = await addMember(system, own, 'contributor', { rosterCharacter })
        const reading = { 'API-Key': await mintReadKey(system, own.world, token) }
        return [api(system.gateway, headers), api(system.gateway, reading)]
      },
    ],
    [
      'contributor seat',
      async (character) => [api(system.gateway, (await addSeat(system, own, { link: { character } })).headers)],
    ],
    [
      'guest seat',
      async (character) => [
        api(system.gateway, (await addSeat(system, own, { role: 'guest', link: { character } })).headers),
      ],
    ],
    [
      'player',
      async (character) => [api(system.gateway, (await addPlayer(system, own, { link: { character } })).headers)],
    ],
  ]

  it.each(playing)(
    '[HD-047][HD-049][HD-063] reads null once it is hidden, and stays played: %s',
    async (_name, join) => {
      const { id } = await own.make('character')
      const keys = await join(id)
      for (const key of keys) expect(await meOf(key)).toBe(id)
      const told = (await own.make('narrative', { characters: [id] })).id
      await hide(id)
      const later = (await own.make('narrative', { characters: [id] })).id
      for (const key of keys) {
        expect([await meOf(key), await playedOn(key)]).toEqual([null, [null, null]])
        // What names it goes on being seen, without it.
        const seen = expectBody(await key.get('/api/v2/narrative'), 200).data
        expect(seen.map((one: Body) => [one.id, one.characters])).toEqual([
          [told, []],
          [later, []],
        ])
        expect(expectBody(await key.get(`/api/v2/narrative?characters=${id}`), 200).data).toEqual([])
        expect((await key.get(`/api/v2/character/${id}`)).status).toBe(404)
      }
      expect(await playedOn(own)).toEqual([null, id])
      await show(id)
      for (const key of keys) expect([await meOf(key), await playedOn(key)]).toEqual([id, [null, id]])
    },
  )

  it.each(['guest', 'guest seat', 'read key of a guest', 'player', 'contributor seat'] as const)(
    '[HD-049] still reads as its id when it created it: %s',
    async (name) => {
      const reader = await newParty(system, own, name)
      await hide(reader.character ?? '')
      expect([await meOf(reader), await playedOn(reader)]).toEqual([reader.character, [null, reader.character]])
      const { id } = await own.make('narrative', { characters: [reader.character] })
      expect(expectBody(await reader.get(`/api/v2/narrative/${id}`), 200).characters).toEqual([reader.character])
    },
  )
})
