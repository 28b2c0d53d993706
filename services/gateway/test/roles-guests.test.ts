import { type Api, api } from '@worlds/testkit/api'
import { addMember, addSeat, removeMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectRefused, newParty, type Party, writerOf } from './permission-parties'
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

const idsOf = async (by: Api, path: string): Promise<string[]> =>
  expectBody(await by.get(`/api/v2/${path}`), 200).data.map(({ id }: Body) => id)
const madeBy = async (by: Api, type: string, fields: Body = {}): Promise<string> =>
  expectBody(await by.post(`/api/v2/${type}`, { name: 'Made', ...fields }), 201).id

describe.each(['guest', 'guest seat', 'read key of a guest', 'player'] as const)('what a guest sees: %s', (name) => {
  let guest: Party
  let me: string
  beforeEach(async () => {
    guest = await newParty(system, own, name)
    me = guest.character ?? ''
  })

  if (name !== 'player') {
    it('[RL-010] what it created, hidden or not', async () => {
      const ids = [await madeBy(writerOf(guest), 'location'), await madeBy(writerOf(guest), 'location')]
      expect((await own.put(`/api/v2/location/${ids[1]}/hidden`)).status).toBe(204)
      expect(await idsOf(guest, 'location')).toEqual(ids)
      for (const id of ids)
        expect(expectBody(await guest.get(`/api/v2/location/${id}`), 200).created_by).toBe(guest.membership)
    })
  }

  it('[RL-011] what names its Character in characters, and no longer than that', async () => {
    const named = await madeBy(own, 'narrative', { characters: [me] })
    const other = await madeBy(own, 'narrative', { protagonist: me })
    const event = await madeBy(own, 'event', { characters: [me] })
    expect([await idsOf(guest, 'narrative'), await idsOf(guest, 'event')]).toEqual([[named], [event]])
    expect(await idsOf(guest, `narrative?characters=${me}`)).toEqual([named])
    expectRefused(await guest.get(`/api/v2/narrative/${other}`), 404, 'not_found')
    expectBody(await own.patch(`/api/v2/narrative/${named}`, { characters: [] }), 200)
    expectRefused(await guest.get(`/api/v2/narrative/${named}`), 404, 'not_found')
  })

  it('[RL-012] the Characters of the roster, removed rows and the owner’s included', async () => {
    const [ownerOne, chosen, stranger] = [
      await madeBy(own, 'character'),
      await madeBy(own, 'character'),
      await madeBy(own, 'character'),
    ]
    expectBody(await own.patch('/api/v2/world', { owner_character: ownerOne }), 200)
    await addMember(system, own, 'contributor', { rosterCharacter: chosen })
    const seat = await addSeat(system, own)
    const gone = await addMember(system, own, 'guest')
    await removeMember(system, own, gone.membership)
    expect(await idsOf(guest, 'character')).toEqual([me, ownerOne, chosen, seat.character, gone.character])
    for (const { character } of expectBody(await guest.get('/api/v2/members'), 200).data)
      expectBody(await guest.get(`/api/v2/character/${character}`), 200)
    expectRefused(await guest.get(`/api/v2/character/${stranger}`), 404, 'not_found')
  })

  it('[RL-013] nothing else, in no list and by no id', async () => {
    const contributor = api(system.gateway, (await addMember(system, own, 'contributor')).headers)
    const friend = await madeBy(own, 'character', { friends: [me] })
    const ids = [await madeBy(own, 'location'), await madeBy(contributor, 'location')]
    for (const id of ids) expectRefused(await guest.get(`/api/v2/location/${id}`), 404, 'not_found')
    expect(await idsOf(guest, 'location')).toEqual([])
    expect(await idsOf(guest, 'character')).toEqual([me])
    expectRefused(await guest.get(`/api/v2/character/${friend}`), 404, 'not_found')
  })

  it('[RL-025] nothing else by any filter', async () => {
    const fields = { name: 'Vale', supertype: 'Place', subtype: 'Deep' }
    const seen = await madeBy(own, 'event', { ...fields, characters: [me] })
    const unseen = await madeBy(own, 'character')
    await madeBy(own, 'event', fields)
    await madeBy(own, 'event', { ...fields, characters: [unseen] })
    for (const filter of ['name=Vale', 'name__icontains=al', 'supertype=Place', 'subtype=Deep', `characters=${me}`])
      expect(await idsOf(guest, `event?${filter}`)).toEqual([seen])
    expect(await idsOf(guest, `event?characters=${unseen}`)).toEqual([])
    expect(expectBody(await guest.get('/api/v2/event?limit=1'), 200)).toMatchObject({
      has_more: false,
      next_cursor: null,
    })
  })

  it('[RL-026][RL-028][RL-029] no link to it in bodies, lists, expansions and the feed', async () => {
    const [unseen, place] = [await madeBy(own, 'character'), await madeBy(own, 'location')]
    const links = { characters: [unseen, me], locations: [place], protagonist: unseen, narrator: me }
    const id = await madeBy(own, 'narrative', links)
    const whole = await own.read('narrative', id)
    const cut = { ...whole, characters: [me], locations: [], protagonist: null }
    expect(expectBody(await guest.get(`/api/v2/narrative/${id}`), 200)).toEqual(cut)
    expect(expectBody(await guest.get('/api/v2/narrative'), 200).data).toEqual([cut])
    const upserts = expectBody(await guest.get('/api/v2/changes'), 200).changes
    expect(upserts.find((record: Body) => record.id === id).element).toEqual(cut)
    const expand = 'expand=characters,locations,protagonist,narrator'
    const { name, supertype, subtype, image_url } = await own.read('character', me)
    const stub = { id: me, name, supertype, subtype, image_url }
    const expanded = expectBody(await guest.get(`/api/v2/narrative/${id}?${expand}`), 200)
    expect(expanded).toEqual({ ...cut, characters: [stub], narrator: stub })
  })
})
