import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { describeRows, expectError, type Hostile, type Known, newKnown } from './hostile-table'
import { expectBody } from './support'

let system: System
let known: Known

beforeAll(async () => {
  system = await startSystem()
  known = await newKnown(system)
})
afterAll(() => system.stop())

const bad = 'invalid_request'
const one = ({ character }: Known) => `/api/v2/character/${character}`
const links = ({ character }: Known) => `${one({ character } as Known)}/links/friends`

const targets: readonly [string, (known: Known) => string][] = [
  ['an absent id', () => randomUUID()],
  ['an id of another category', ({ map }) => map],
  ['an id of another world', ({ foreignLocation }) => foreignLocation],
]
const multi: readonly [string, (known: Known) => string][] = [
  ['an absent id', () => randomUUID()],
  ['an id of another category', ({ location }) => location],
  ['an id of another world', ({ foreign }) => foreign],
]

const linkRows: readonly Hostile[] = [
  ...targets.flatMap(([title, target]): Hostile[] => [
    {
      no: 30,
      title: `${title} as a single link`,
      clauses: '[WR-042][WR-043][WR-044]',
      body: (known: Known) => ({ name: 'x', location: target(known) }),
      answer: 'invalid_link',
      param: 'location',
    },
    {
      no: 30,
      title: `${title} by PATCH`,
      clauses: '[WR-042]',
      method: 'patch',
      path: one,
      body: (known: Known) => ({ location: target(known) }),
      answer: 'invalid_link',
      param: 'location',
    },
  ]),
  ...multi.flatMap(([title, target]): Hostile[] => [
    {
      no: 30,
      title: `${title} in a multi link`,
      clauses: '[WR-042][WR-043][WR-044]',
      body: (known: Known) => ({ name: 'x', friends: [known.character, target(known)] }),
      answer: 'invalid_link',
      param: 'friends',
    },
    {
      no: 30,
      title: `${title} in a link operation`,
      clauses: '[LK-026][LK-027]',
      path: links,
      body: (known: Known) => ({ add: [target(known)] }),
      answer: 'invalid_link',
      param: 'friends',
    },
  ]),
  {
    no: 32,
    title: 'text as a multi link',
    body: ({ character }: Known) => ({ name: 'x', friends: character }),
    answer: bad,
    param: 'friends',
  },
  {
    no: 32,
    title: 'null as a multi link',
    clauses: '[WR-027]',
    body: { name: 'x', friends: null },
    answer: 201,
    reply: { friends: [] },
  },
  { no: 32, title: 'null in a multi link', body: { name: 'x', friends: [null] }, answer: bad, param: 'friends' },
  { no: 32, title: 'a list in a multi link', body: { name: 'x', friends: [[]] }, answer: bad, param: 'friends' },
  {
    no: 32,
    title: 'a list as a single link',
    body: ({ location }: Known) => ({ name: 'x', location: [location] }),
    answer: bad,
    param: 'location',
  },
  {
    no: 33,
    title: 'an empty text as a single link',
    body: { name: 'x', location: '' },
    answer: bad,
    param: 'location',
  },
  {
    no: 33,
    title: 'null as a single link',
    clauses: '[WR-025]',
    method: 'patch',
    path: one,
    body: { location: null },
    answer: 200,
    reply: { location: null },
  },
  {
    no: 34,
    title: 'a link operation on a single link',
    clauses: '[LK-021]',
    path: (k) => `${one(k)}/links/location`,
    body: {},
    answer: bad,
    param: 'location',
  },
  {
    no: 34,
    title: 'a link operation on a text field',
    clauses: '[LK-020]',
    path: (k) => `${one(k)}/links/name`,
    body: {},
    answer: bad,
    param: 'name',
  },
  {
    no: 34,
    title: 'a link operation on an unknown field',
    clauses: '[LK-020]',
    path: (k) => `${one(k)}/links/nope`,
    body: {},
    answer: bad,
    param: 'nope',
  },
  {
    no: 34,
    title: 'a link operation on __proto__',
    path: (k) => `${one(k)}/links/__proto__`,
    body: {},
    answer: bad,
    param: '__proto__',
  },
  {
    no: 34,
    title: 'a link operation on a pin',
    clauses: '[LK-015]',
    path: ({ pin }) => `/api/v2/pin/${pin}/links/map`,
    body: {},
    answer: bad,
    param: 'map',
  },
  {
    no: 35,
    title: 'a link operation of nothing',
    clauses: '[LK-018]',
    path: links,
    body: {},
    answer: 200,
    reply: { friends: [] },
  },
  { no: 35, title: 'text to add', path: links, body: { add: 'x' }, answer: bad, param: 'add' },
  { no: 35, title: 'an object to remove', path: links, body: { remove: {} }, answer: bad, param: 'remove' },
  { no: 35, title: 'an unknown key', path: links, body: { add: [], set: [] }, answer: bad, param: 'set' },
]

describeRows('a hostile link', () => known, linkRows)

describe('links', () => {
  it('hostile 30: [WR-042] answer the same bytes whatever the target is not', async () => {
    const replies = await Promise.all(
      targets.map(([, target]) => known.own.post('/api/v2/character', { name: 'x', location: target(known) })),
    )
    for (const { status, text } of replies) expect([status, text]).toEqual([400, replies[0]?.text])
  })

  it('hostile 35: [LK-025] an id that is added and removed at once is added, and nothing is written beside a bad one', async () => {
    const { own, character } = known
    const { id } = await own.make('character', { friends: [character] })
    const path = `/api/v2/character/${id}/links/friends`
    expect(expectBody(await own.post(path, { add: [character], remove: [character] }), 200).friends).toEqual([
      character,
    ])
    expectError(await own.post(path, { add: [randomUUID()], remove: [character] }), 'invalid_link', 'friends')
    expect((await own.read('character', id)).friends).toEqual([character])
  })
})
