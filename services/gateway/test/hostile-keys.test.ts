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
const keys = (prefix: string) =>
  `{"name":"x",${Array.from({ length: 100_000 }, (_, at) => `"${prefix}${at}":1`).join()}}`

const rows: readonly Hostile[] = [
  { no: 10, title: '100,000 unknown keys', body: keys('k'), answer: bad, param: 'k0', within: 1000 },
  { no: 10, title: '100,000 extension keys', body: keys('x_'), answer: bad, param: 'extensions', within: 1000 },
  { no: 11, title: 'a key sent twice', body: '{"name":"first","name":"last"}', answer: 201, reply: { name: 'last' } },
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'].flatMap((key) => [
    {
      no: 12,
      title: `the key ${key}`,
      clauses: '[WR-030]',
      body: `{"name":"x","${key}":{"a":1}}`,
      answer: bad,
      param: key,
    },
    {
      no: 12,
      title: `the key ${key} in a change of the world`,
      method: 'patch' as const,
      path: '/api/v2/world',
      body: `{"${key}":{"public_read":true}}`,
      answer: bad,
      param: key,
    },
  ]),
  {
    no: 12,
    title: '__proto__ in a bulk',
    path: '/api/v2/bulk',
    body: '{"__proto__":{"items":[]}}',
    answer: bad,
    param: any(),
  },
  { no: 13, title: 'NUL in a name', body: '{"name":"a\\u0000b"}', answer: bad, param: 'name' },
  { no: 13, title: 'NUL in an extension', body: '{"name":"x","x_a":"\\u0000"}', answer: bad, param: 'x_a' },
  {
    no: 13,
    title: 'NUL deep in an extension',
    body: '{"name":"x","x_a":[{"b":"\\u0000"}]}',
    answer: bad,
    param: 'x_a',
  },
  { no: 13, title: 'NUL in a key within', body: '{"name":"x","x_a":{"\\u0000":1}}', answer: bad, param: 'x_a' },
  { no: 13, title: 'NUL in an extension key', body: '{"name":"x","x_\\u0000":1}', answer: bad, param: 'x_\0' },
  { no: 13, title: 'NUL in an unknown key', body: '{"name":"x","\\u0000":1}', answer: bad, param: '\0' },
  { no: 13, title: 'NUL in the name of the world', ...world('{"name":"\\u0000"}'), answer: bad, param: 'name' },
  {
    no: 13,
    title: 'NUL in a list of the world',
    ...world('{"time_format_names":["\\u0000"]}'),
    answer: bad,
    param: any(),
  },
  { no: 14, title: 'half of a pair in a name', body: '{"name":"\\ud800"}', answer: bad, param: 'name' },
  { no: 14, title: 'the other half in a name', body: '{"name":"\\udc00\\ud800"}', answer: bad, param: 'name' },
  {
    no: 14,
    title: 'half of a pair in an extension',
    body: '{"name":"x","x_a":["\\ud800"]}',
    answer: bad,
    param: 'x_a',
  },
  {
    no: 14,
    title: 'half of a pair in a key within',
    body: '{"name":"x","x_a":{"\\ud800":1}}',
    answer: bad,
    param: 'x_a',
  },
  {
    no: 14,
    title: 'half of a pair in an extension key',
    body: '{"name":"x","x_\\ud800":1}',
    answer: bad,
    param: named('x_'),
  },
  {
    no: 14,
    title: 'half of a pair in an unknown key',
    body: '{"name":"x","a\\ud800":1}',
    answer: bad,
    param: named('a'),
  },
  {
    no: 14,
    title: 'half of a pair in the world',
    ...world('{"description":"\\ud800"}'),
    answer: bad,
    param: 'description',
  },
]

function world(body: string) {
  return { method: 'patch' as const, path: '/api/v2/world', body }
}
function any() {
  return expect.stringMatching(/./)
}
function named(prefix: string) {
  return expect.stringMatching(new RegExp(`^${prefix}`))
}

describeRows('a hostile key', () => known, rows)

describe('what a hostile body leaves', () => {
  it('hostile 12: the prototypes of the service are as they were', async () => {
    const { own } = known
    expectError(await own.post('/api/v2/character', '{"name":"x","__proto__":{"isAdmin":true}}'), bad, '__proto__')
    expect(
      expectBody(await own.post('/api/v2/character', '{"name":"x","x_a":{"__proto__":{"b":1}}}'), 201),
    ).toBeDefined()
    const { text } = await own.get('/api/v2/me')
    expect(text).not.toContain('isAdmin')
  })

  it('hostile 12: [EL-032] __proto__ within an extension is given back as it came', async () => {
    const made = await known.own.post('/api/v2/character', '{"name":"x","x_a":{"__proto__":{"b":1},"constructor":2}}')
    expect(made.status).toBe(201)
    expect(made.text).toContain('"x_a":{"__proto__":{"b":1},"constructor":2}')
  })
})
