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
const put = { method: 'put' as const, path: one }
const patch = { method: 'patch' as const, path: one }
const named = (fields: Record<string, unknown>) => ({ name: 'x', ...fields })
/** Text that makes `{"x_a":"…"}` so many bytes. */
const extension = (bytes: number) => 'x'.repeat(bytes - 10)

/** The same fault by each way to write. */
const everyWay = (row: Omit<Hostile, 'path' | 'method'>): Hostile[] => [
  row,
  { ...row, ...put, title: `${row.title}, by PUT` },
  { ...row, ...patch, title: `${row.title}, by PATCH` },
]

const rows: readonly Hostile[] = [
  {
    no: 25,
    title: 'a stub as a single link',
    clauses: '[WR-041]',
    body: ({ location }: Known) =>
      named({ location: { id: location, name: '', supertype: '', subtype: '', image_url: '' } }),
    answer: bad,
    param: 'location',
  },
  {
    no: 25,
    title: 'stubs as a multi link',
    clauses: '[WR-041]',
    ...patch,
    body: ({ character }: Known) => ({ friends: [{ id: character, name: 'Kept' }] }),
    answer: bad,
    param: 'friends',
  },
  {
    no: 36,
    title: '65,536 bytes of extensions',
    clauses: '[WR-034]',
    body: named({ x_a: extension(65_536) }),
    answer: 201,
  },
  ...everyWay({
    no: 36,
    title: '65,537 bytes of extensions',
    clauses: '[WR-035]',
    body: named({ x_a: extension(65_537) }),
    answer: bad,
    param: 'extensions',
  }),
  {
    no: 36,
    title: '65,536 bytes in characters of two',
    clauses: '[WR-034]',
    body: named({ x_a: 'é'.repeat(32_763) }),
    answer: 201,
  },
  {
    no: 36,
    title: 'one character of two more',
    clauses: '[WR-035]',
    body: named({ x_a: 'é'.repeat(32_764) }),
    answer: bad,
    param: 'extensions',
  },
  ...['1e2', '-0', '1.10', '12345678901234567890', '1E+400', '{"b":1,"a":2,"10":3,"9":4}', '[1.0,{"z":null}]'].map(
    (value) => ({
      no: 37,
      title: `${value} as an extension`,
      clauses: '[EL-032]',
      body: `{"name":"x","x_a":${value}}`,
      answer: 201,
      text: `"x_a":${value}`,
    }),
  ),
]

describeRows('a hostile stub or extension', () => known, rows)

describe('what is written after it was read', () => {
  it('hostile 25: [WR-041] an expanded body that is sent back is refused and nothing is written', async () => {
    const { own, location } = known
    const { id } = await own.make('character', { location })
    const { location: stub } = expectBody(await own.get(`/api/v2/character/${id}?expand=location`), 200)
    const before = await own.read('character', id)
    for (const send of [own.patch, own.put]) {
      expectError(await send(`/api/v2/character/${id}`, { name: 'x', location: stub }), bad, 'location')
    }
    expect(await own.read('character', id)).toEqual(before)
  })

  it('hostile 36: [WR-035][WR-021] a PATCH that pushes the merged extensions over the cap is refused', async () => {
    const { own } = known
    const made = await own.make('character', { x_a: extension(65_536) })
    const path = `/api/v2/character/${made.id}`
    expectError(await own.patch(path, { x_b: 1 }), bad, 'extensions')
    expect(await own.read('character', made.id)).toEqual(made)
    expectBody(await own.patch(path, { x_a: extension(65_530), x_b: null }), 422)
    expectBody(await own.patch(path, { x_a: extension(65_525), x_b: 1 }), 200)
  })

  it.each(['1e2', '-0', '1.10', '12345678901234567890', '{"b":1,"a":2}'])(
    'hostile 37: [EL-032] %s reads verbatim everywhere, and so after another key was merged',
    async (value) => {
      const { own } = known
      const made = expectBody(await own.post('/api/v2/zone', `{"name":"x","x_a":${value}}`), 201)
      await own.patch(`/api/v2/zone/${made.id}`, { x_z: 1 })
      const since = await own.get('/api/v2/changes?limit=1000')
      for (const { text } of [
        await own.get(`/api/v2/zone/${made.id}`),
        await own.get('/api/v2/zone?limit=1000'),
        since,
      ]) {
        expect(text).toContain(`"x_a":${value},"x_z":1`)
      }
    },
  )
})
