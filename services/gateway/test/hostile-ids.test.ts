import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { describeRows, type Hostile, type Known, newKnown } from './hostile-table'
import type { Body } from './support'

let system: System
let known: Known

beforeAll(async () => {
  system = await startSystem()
  known = await newKnown(system)
})
afterAll(() => system.stop())

const bad = 'invalid_request'
const plain = 'a1b2c3d4-e5f6-4a1b-8c2d-0123456789ab'
const nil = '00000000-0000-0000-0000-000000000000'
const absent = randomUUID()
const links = ({ character }: Known) => `/api/v2/character/${character}/links/friends`

const badIds: readonly [title: string, inPath: string, inBody: string][] = [
  ['nope', 'nope', 'nope'],
  ['a UUID in braces', `%7B${plain}%7D`, `{${plain}}`],
  ['a UUID without hyphens', plain.replaceAll('-', ''), plain.replaceAll('-', '')],
  ['a UUID with odd hyphens', 'a1b2-c3d4e5f6-4a1b-8c2d-0123456789ab', 'a1b2-c3d4e5f6-4a1b-8c2d-0123456789ab'],
  ['a UUID as urn', `urn:uuid:${plain}`, `urn:uuid:${plain}`],
  ['a UUID and a space', `${plain}%20`, `${plain} `],
  ['a UUID after a space', `%20${plain}`, ` ${plain}`],
  ['a UUID and a line feed', `${plain}%0A`, `${plain}\n`],
  ['NUL', '%00', '\0'],
  ['a UUID with NUL', `${plain}%00`, `${plain}\0`],
  ['a UUID with a letter too far', plain.replace('a1', 'g1'), plain.replace('a1', 'g1')],
  ['full-width digits', encodeURIComponent(plain.replace('1', '１')), plain.replace('1', '１')],
]
const methods = ['get', 'put', 'patch', 'delete'] as const

const ids: readonly Hostile[] = [
  ...badIds.flatMap(([title, inPath, inBody]) => [
    ...methods.map((method) => ({
      no: 26,
      title: `${title} in the path of ${method}`,
      clauses: '[EL-036]',
      method,
      path: `/api/v2/character/${inPath}`,
      body: { name: 'x' },
      answer: bad,
      param: 'id',
    })),
    {
      no: 26,
      title: `${title} in a link path`,
      path: `/api/v2/character/${inPath}/links/friends`,
      body: {},
      answer: bad,
      param: 'id',
    },
    { no: 26, title: `${title} in a body`, body: { id: inBody, name: 'x' }, answer: bad, param: 'id' },
    {
      no: 31,
      title: `${title} as a single link`,
      body: { name: 'x', location: inBody },
      answer: bad,
      param: 'location',
    },
    {
      no: 31,
      title: `${title} in a multi link`,
      body: { name: 'x', friends: [inBody] },
      answer: bad,
      param: 'friends',
    },
    {
      no: 31,
      title: `${title} in a link operation`,
      path: links,
      body: { add: [inBody] },
      answer: bad,
      param: expect.any(String),
    },
  ]),
  { no: 26, title: 'an empty id in a body', body: { id: '', name: 'x' }, answer: bad, param: 'id' },
  { no: 26, title: 'a number as an id', body: { id: 5, name: 'x' }, answer: bad, param: 'id' },
  { no: 26, title: 'upper case', body: { id: plain.toUpperCase(), name: 'x' }, answer: 201, reply: { id: plain } },
  {
    no: 26,
    title: 'upper case in a path',
    method: 'get',
    path: `/api/v2/character/${plain.toUpperCase()}`,
    answer: 200,
    reply: { id: plain },
  },
  { no: 26, title: 'the nil UUID that is absent', method: 'get', path: `/api/v2/zone/${nil}`, answer: 'not_found' },
  { no: 26, title: 'the nil UUID', body: { id: nil, name: 'x' }, answer: 201, reply: { id: nil } },
  { no: 27, title: 'a bad escape as an id', method: 'get', path: '/api/v2/character/%ZZ', answer: 'not_found' },
  { no: 27, title: 'a bad escape as a category', method: 'get', path: '/api/v2/%ZZ', answer: 'not_found' },
  {
    no: 27,
    title: 'an escape that is cut off',
    path: '/api/v2/character/%E0%A4',
    body: { name: 'x' },
    answer: 'not_found',
  },
  {
    no: 28,
    title: 'an id of this world',
    clauses: '[WR-012]',
    body: ({ character }: Known) => ({ id: character, name: 'x' }),
    answer: 'id_conflict',
    param: 'id',
  },
  {
    no: 28,
    title: 'an id of another world',
    clauses: '[WR-013]',
    body: ({ foreign }: Known) => ({ id: foreign, name: 'x' }),
    answer: 'id_conflict',
    param: 'id',
  },
  {
    no: 28,
    title: 'a PUT on an id of another world',
    clauses: '[WR-018]',
    method: 'put',
    path: ({ foreign }) => `/api/v2/character/${foreign}`,
    body: { name: 'x' },
    answer: 'id_conflict',
    param: 'id',
  },
  {
    no: 29,
    title: 'another id in a PUT',
    clauses: '[WR-017]',
    method: 'put',
    path: `/api/v2/zone/${absent}`,
    body: { id: randomUUID(), name: 'x' },
    answer: 201,
    reply: { id: absent },
  },
]

describeRows('a hostile id', () => known, ids)

describe('ids', () => {
  it('hostile 28: [WR-014] an id conflict says where the id is held', async () => {
    const messages = [known.character, known.foreign].map(async (id): Promise<Body> => {
      return (await known.own.post('/api/v2/character', { id, name: 'x' })).body.error.message
    })
    expect(await Promise.all(messages)).toEqual([
      expect.stringMatching(/this world/),
      expect.stringMatching(/another world/),
    ])
  })
})
