import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { describeRows, expectError, type Hostile, type Known, newKnown } from './hostile-table'
import { expectBody, newOwner, newReader } from './support'

let system: System
let known: Known

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { UNKNOWN_CREDENTIALS_PER_MINUTE: '100000' } } })
  known = await newKnown(system)
  await known.own.make('character', { name: 'Second' })
})
afterAll(() => system.stop())

const bad = 'invalid_request'
const list = (query: string) => ({ method: 'get' as const, path: `/api/v2/character?${query}` })
const empty = { data: [], has_more: false, next_cursor: null }

const rows: readonly Hostile[] = [
  ...['abc', '1.5', '1e2', '', '+1', '%EF%BC%91', '0x10', '1%00', '1&limit=1'].flatMap((value): Hostile[] => {
    const row = { no: 43, clauses: '[LS-011]', answer: bad, param: 'limit' }
    return [
      { ...row, ...list(`limit=${value}`), title: `limit=${value}` },
      { ...row, title: `limit=${value} on the feed`, method: 'get', path: `/api/v2/changes?limit=${value}` },
    ]
  }),
  { no: 43, title: 'limit=0', clauses: '[LS-009]', ...list('limit=0'), answer: 200, reply: { has_more: true } },
  { no: 43, title: 'limit=-5', clauses: '[LS-009]', ...list('limit=-5'), answer: 200, reply: { has_more: true } },
  {
    no: 43,
    title: 'limit=99999',
    clauses: '[LS-010]',
    ...list('limit=99999'),
    answer: 200,
    reply: { has_more: false },
  },
  ...['nope', 'ordering', '__proto__', 'constructor', 'Limit', 'name__startswith', 'name[]', 'offset'].map((name) => {
    return {
      no: 44,
      title: `${name}=1`,
      clauses: '[LS-023][LS-025]',
      ...list(`${encodeURIComponent(name)}=1`),
      answer: bad,
      param: name,
    }
  }),
  { no: 44, title: 'a name sent twice', ...list('name=a&name=b'), answer: bad, param: 'name' },
  { no: 44, title: 'a bad escape in a query', ...list('name=%ZZ'), answer: bad, param: 'name' },
  { no: 44, title: 'NUL in a filter', ...list('name=%00'), answer: bad, param: 'name' },
  ...['x', '', 'AAAA', '0', '%00', 'null', 'eyJ9'].map((cursor) => {
    return { no: 45, title: `the cursor ${cursor}`, ...list(`cursor=${cursor}`), answer: bad, param: 'cursor' }
  }),
  ...['%25', '_', '%5C', '%25a%25', '%5C%25', "'%20or%201=1--", '_'.repeat(10_240), '%25'.repeat(4_500)].map(
    (text): Hostile => {
      const row = {
        no: 46,
        clauses: '[LS-014]',
        ...list(`name__icontains=${text}`),
        answer: 200,
        reply: empty,
        within: 100,
      }
      return { ...row, title: `name__icontains=${text.slice(0, 20)} as it stands` }
    },
  ),
  {
    no: 47,
    title: 'characters on a category without it',
    clauses: '[LS-019]',
    method: 'get',
    path: `/api/v2/zone?characters=${randomUUID()}`,
    answer: bad,
    param: 'characters',
  },
  {
    no: 47,
    title: 'malformed characters',
    method: 'get',
    path: '/api/v2/event?characters=nope',
    answer: bad,
    param: 'characters',
  },
  {
    no: 47,
    title: 'unknown characters',
    clauses: '[LS-018]',
    method: 'get',
    path: `/api/v2/event?characters=${randomUUID()}`,
    answer: 200,
    reply: empty,
  },
  ...['name', 'nope', '', '__proto__', 'location,name', 'location,'].map((fields) => {
    return {
      no: 48,
      title: `expand=${fields}`,
      clauses: '[LS-021]',
      ...list(`expand=${fields}`),
      answer: bad,
      param: 'expand',
    }
  }),
  {
    no: 48,
    title: 'expand=element_id of a pin',
    method: 'get',
    path: '/api/v2/pin?expand=element_id',
    answer: bad,
    param: 'expand',
  },
  ...[
    'dragon',
    'constructor',
    '__proto__',
    'toString',
    'characters',
    'Character',
    '/character',
    'character/x/links',
    '..',
  ].flatMap((slug): Hostile[] => [
    {
      no: 50,
      title: `GET /api/v2/${slug}`,
      clauses: '[EL-010]',
      method: 'get',
      path: `/api/v2/${slug}`,
      answer: 'not_found',
    },
    {
      no: 50,
      title: `POST /api/v2/${slug}`,
      clauses: '[EL-010]',
      path: `/api/v2/${slug}`,
      body: { name: 'x' },
      answer: 'not_found',
    },
  ]),
  ...[',', 'name,', 'nope', '__proto__', 'x,'.repeat(4_000)].map((fields) => {
    return {
      no: 87,
      title: `fields=${fields.slice(0, 20)}`,
      ...list(`fields=${fields}`),
      answer: bad,
      param: 'fields',
      within: 50,
    }
  }),
  {
    no: 87,
    title: 'a field named 3,000 times',
    ...list(`fields=${'name,'.repeat(2_999)}name`),
    answer: 200,
    within: 50,
  },
  {
    no: 87,
    title: 'a link named 1,500 times',
    ...list(`expand=${'location,'.repeat(1_499)}location`),
    answer: 200,
    within: 50,
  },
]

describeRows('a hostile query', () => known, rows)

describe('queries', () => {
  it('hostile 45: [LS-012] a cursor that was altered, of another list or another world is 422', async () => {
    const [{ own }, other] = [known, await newOwner(system)]
    await other.seed('character', [{ name: 'a' }, { name: 'b' }])
    const cursorOf = async (by: typeof own, query: string) => expectBody(await by.get(query), 200).next_cursor
    const cursor: string = await cursorOf(own, '/api/v2/character?limit=1')
    const foreign = await cursorOf(other, '/api/v2/character?limit=1')
    const altered = [...cursor].map(
      (letter, at) => cursor.slice(0, at) + (letter === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    )
    for (const bad of [foreign, `${cursor}A`, cursor.slice(0, -1), ...altered]) {
      expectError(await own.get(`/api/v2/character?cursor=${encodeURIComponent(bad)}`), 'invalid_request', 'cursor')
    }
    for (const path of ['/api/v2/zone?', '/api/v2/character?name=Kept&']) {
      expectError(await own.get(`${path}cursor=${encodeURIComponent(cursor)}`), 'invalid_request', 'cursor')
    }
  })

  it('hostile 49: as on a write or the feed is 422, after the key and before its scope and PIN', async () => {
    const { own } = known
    const reader = await newReader(system, own)
    const before = await own.head()
    for (const value of ['as=owner', 'as=junk', 'as=', 'as']) {
      for (const headers of [undefined, { 'API-Pin': '' }]) {
        expectError(await own.post(`/api/v2/zone?${value}`, { name: 'x' }, headers), bad, 'as')
        expectError(await own.patch(`/api/v2/world?${value}`, { name: 'x' }, headers), bad, 'as')
        expectError(await own.delete(`/api/v2/zone/nope?${value}`, undefined, headers), bad, 'as')
      }
      expectError(await own.get(`/api/v2/changes?${value}`), bad, 'as')
      expectError(await reader.post(`/api/v2/zone?${value}`, '{'), bad, 'as')
      expectError(await own.post(`/api/v2/zone?${value}`, '{', { 'API-Key': 'ow_w_x' }), 'invalid_credentials')
    }
    expect(await own.head()).toBe(before)
  })
})
