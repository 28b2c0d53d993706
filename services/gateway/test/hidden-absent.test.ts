import { randomUUID } from 'node:crypto'
import type { ApiReply } from '@worlds/testkit/api'
import { addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, filesOf } from './files-support'
import { links, type Mine, type Named, pathOf, reads, writes } from './hidden-absent-calls'
import { otherReads, otherWrites } from './hidden-absent-doors'
import { newParty, type Party } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

/** What a reader does not see answers as if it had never been: by status, by headers, letter by letter. */
let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem({ files: true, env: { gateway: { REQUEST_BUDGET: '1000000' } } })
})
afterAll(() => system.stop())

/** Everything of a reply that does not name the id sent, the moment, or how much of the budget is left. */
function shown({ status, headers, text }: ApiReply, id: string): Body {
  const told = [...headers]
    .filter(([name]) => name !== 'date' && !name.startsWith('ratelimit-'))
    .map(([name, value]) => [name, value.replaceAll(id, '<id>')])
  const body = text
    .replaceAll(id, '<id>')
    .replaceAll(/"(created|updated)_at":"[^"]+"/g, '"$1_at":"<time>"')
    .replaceAll(/"change_seq":\d+/g, '"change_seq":0')
  return { status, headers: Object.fromEntries(told), body }
}

const readers = [
  'contributor',
  'contributor seat',
  'read key of a contributor',
  'guest',
  'guest seat',
  'read key of a guest',
  'player',
] as const

describe.each(readers)('what is not there for a %s', (name) => {
  let reader: Party
  let mine: Mine
  /** By why it is not there. */
  let unseen: [string, Named][]
  let before: Body[]
  const bodies = () =>
    Promise.all(unseen.map(async ([, { type, id }]) => [await own.read(type, id), await filesOf(own, type, id)]))
  const withFile = async (type: Named['type'], id: string): Promise<Named> => {
    expectBody(await own.patch(`/api/v2/${type}/${id}`, { name: id, description: `It is ${id}.` }), 200)
    return { type, id, file: (await addFile(own, type, id)).id }
  }

  beforeAll(async () => {
    own = await newOwner(system)
    reader = await newParty(system, own, name)
    const character = (await addSeat(system, own)).character ?? ''
    const characters = reader.character === null ? [] : [reader.character]
    const narrative = (await own.make('narrative', { characters })).id
    unseen = [
      ['hidden', await withFile('character', character)],
      ['hidden', await withFile('narrative', narrative)],
    ]
    for (const [, named] of unseen) expect((await own.put(`${pathOf(named)}/hidden`)).status).toBe(204)
    if (reader.role === 'guest') {
      unseen.push(['out of view', await withFile('character', (await own.make('character')).id)])
      unseen.push(['out of view', await withFile('narrative', (await own.make('narrative')).id)])
    }
    // What names them is there to be found, if only they were.
    await own.make('construct', { name: 'Carrier', characters: [...characters, character], narratives: [narrative] })
    const maker = reader.writer ?? own
    const linking = { characters: [character], narratives: [narrative] }
    const construct = expectBody(await maker.post('/api/v2/construct', { name: 'Mine' }), 201).id
    mine = { construct, narrative: expectBody(await maker.post('/api/v2/narrative', { name: 'Mine' }), 201).id }
    expectBody(await own.patch(`/api/v2/construct/${construct}`, linking), 200)
    expectBody(
      await own.patch(`/api/v2/narrative/${mine.narrative}`, { parent_narrative: narrative, protagonist: character }),
      200,
    )
    before = await bodies()
  })

  const looks = [...reads, ...otherReads]
  const calls = onlyReads(name) ? looks : [...looks, ...writes, ...otherWrites, ...links]

  it.each(calls)(
    '[HD-035][HD-041][HD-050][HD-051][HD-052][HD-055][RL-024] answers as what never was: %s',
    async (_name, call) => {
      for (const [why, named] of unseen) {
        const absent = { ...named, id: randomUUID() }
        const replies = [await call(reader, named, mine), await call(reader, absent, mine)] as const
        const [found, expected] = [shown(replies[0], named.id), shown(replies[1], absent.id)]
        expect({ why, type: named.type, ...found }).toEqual({ why, type: named.type, ...expected })
      }
    },
  )

  if (!onlyReads(name)) {
    it('[HD-053][HD-054][HD-056] but cannot be made, where what never was can', async () => {
      const makes: readonly ((named: Named) => Promise<ApiReply>)[] = [
        ({ type, id }) => reader.put(`/api/v2/${type}/${id}`, { name: 'x' }),
        ({ type, id }) => reader.post(`/api/v2/${type}`, { id, name: 'x' }),
        ({ id }) => reader.put(`/api/v2/event/${id}`, { name: 'x' }),
        ({ id }) => reader.post('/api/v2/event', { id, name: 'x' }),
      ]
      for (const make of makes) {
        for (const [, named] of unseen) {
          const [hidden, absent] = [await make(named), await make({ ...named, id: randomUUID() })]
          expect([hidden.status, hidden.body.error.code, absent.status]).toEqual([404, 'not_found', 201])
          expect(hidden.text).toBe((await reader.get(pathOf(named))).text)
        }
      }
      for (const { type, id } of unseen.flatMap(([, named]) => [named, { ...named, type: 'event' }])) {
        const items = [id, randomUUID()].map((one) => ({ type, element: { id: one, name: 'x' } }))
        const slots = expectBody(await reader.post('/api/v2/bulk', { items }), 200).items
        expect(slots.map(({ status, error }: Body) => [status, error?.code])).toEqual([
          [404, 'not_found'],
          [201, undefined],
        ])
      }
    })
  }

  it.each(['the member', 'its Character', 'public'])('[HD-035] answers the owner so who reads as %s', async (whose) => {
    const as =
      { 'the member': reader.membership, 'its Character': reader.character, public: 'public' }[whose] ?? 'public'
    for (const [why, named] of unseen) {
      if (why !== 'hidden' && as === 'public') continue
      const absent = { ...named, id: randomUUID() }
      for (const path of [
        pathOf,
        ({ id }: Named) => `/api/v2/construct?characters=${id}`,
        ({ id }: Named) => `/api/v2/event/${id}`,
      ]) {
        const at = (one: Named) => own.get(`${path(one)}${path(one).includes('?') ? '&' : '?'}as=${as}`)
        expect(shown(await at(named), named.id)).toEqual(shown(await at(absent), absent.id))
      }
    }
  })

  it('[HD-041][HD-055] and is left as it was, with its files', async () => {
    expect(await bodies()).toEqual(before)
    expect(expectBody(await own.get('/api/v2/world/hidden'), 200).data).toHaveLength(2)
  })
})

function onlyReads(name: string): boolean {
  return name.startsWith('read key') || name === 'player'
}
