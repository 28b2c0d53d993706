import { type System, startSystem } from '@worlds/testkit/system'
import { describeRows, type Hostile, type Known, newKnown } from './hostile-table'

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

/** The same fault by each way to write. */
const everyWay = (row: Omit<Hostile, 'path' | 'method'>): Hostile[] => [
  row,
  { ...row, ...put, title: `${row.title}, by PUT` },
  { ...row, ...patch, title: `${row.title}, by PATCH` },
]

const rows: readonly Hostile[] = [
  { no: 15, title: '255 emoji as a name', clauses: '[EL-016]', body: { name: '🜁'.repeat(255) }, answer: 201 },
  ...everyWay({
    no: 15,
    title: '256 emoji',
    clauses: '[WR-002]',
    body: { name: '🜁'.repeat(256) },
    answer: bad,
    param: 'name',
  }),
  { no: 15, title: '256 letters', clauses: '[WR-002]', body: { name: 'x'.repeat(256) }, answer: bad, param: 'name' },
  { no: 15, title: '100 KB of name', body: { name: ' '.repeat(100_000) }, answer: bad, param: 'name', within: 500 },
  { no: 16, title: '128 of supertype', clauses: '[EL-021]', body: named({ supertype: 'é'.repeat(128) }), answer: 201 },
  ...everyWay({
    no: 16,
    title: '129 of supertype',
    clauses: '[WR-003]',
    body: named({ supertype: 'é'.repeat(129) }),
    answer: bad,
    param: 'supertype',
  }),
  {
    no: 16,
    title: '129 of subtype',
    clauses: '[WR-004]',
    body: named({ subtype: 'é'.repeat(129) }),
    answer: bad,
    param: 'subtype',
  },
  {
    no: 17,
    title: '1024 of image_url',
    clauses: '[EL-023]',
    body: named({ image_url: 'é'.repeat(1024) }),
    answer: 201,
  },
  ...everyWay({
    no: 17,
    title: '1025 of image_url',
    clauses: '[WR-005]',
    body: named({ image_url: 'é'.repeat(1025) }),
    answer: bad,
    param: 'image_url',
  }),
  { no: 18, title: 'no name on POST', clauses: '[EL-017]', body: {}, answer: bad, param: 'name' },
  { no: 18, title: 'no name on PUT', clauses: '[EL-018]', ...put, body: {}, answer: bad, param: 'name' },
  { no: 18, title: 'an empty name', clauses: '[EL-019]', body: { name: '' }, answer: 201, reply: { name: '' } },
  { no: 18, title: 'no name on PATCH', clauses: '[WR-019]', ...patch, body: {}, answer: 200, reply: { name: 'Kept' } },
  ...everyWay({ no: 19, title: 'an object as a name', body: { name: {} }, answer: bad, param: 'name' }),
  ...everyWay({ no: 19, title: 'a list as a name', body: { name: [] }, answer: bad, param: 'name' }),
  { no: 19, title: 'true as a name', body: { name: true }, answer: bad, param: 'name' },
  { no: 19, title: '5 as a name', clauses: '[WR-040]', body: { name: 5 }, answer: 201, reply: { name: '5' } },
  { no: 20, title: '"7"', clauses: '[WR-036]', body: named({ height: '7' }), answer: 201, reply: { height: 7 } },
  { no: 20, title: '7.9', clauses: '[WR-037]', body: named({ height: 7.9 }), answer: 201, reply: { height: 7 } },
  { no: 20, title: 'true', clauses: '[WR-038]', body: named({ height: true }), answer: 201, reply: { height: 1 } },
  {
    no: 20,
    title: '2147483647',
    body: named({ height: 2_147_483_647 }),
    answer: 201,
    reply: { height: 2_147_483_647 },
  },
  ...['"x"', '{}', '[]', '[7]', '1e400', '-1e400', '99999999999999999999', '"99999999999999999999"', '2147483648'].map(
    (value) => ({
      no: 20,
      title: `${value} as a number`,
      clauses: '[WR-039]',
      body: `{"name":"x","height":${value}}`,
      answer: bad,
      param: 'height',
    }),
  ),
  ...['""', '"7.9"', '"0x10"', '"1e3"', '"Infinity"', '"NaN"', '-2147483649', '"７"'].map((value) => {
    const body = `{"name":"x","height":${value}}`
    return { no: 20, title: `${value} as a number`, clauses: '[WR-039]', body, answer: bad, param: 'height' }
  }),
  ...everyWay({
    no: 21,
    title: 'type',
    clauses: '[WR-001]',
    body: named({ type: 'character' }),
    answer: bad,
    param: 'type',
  }),
  ...everyWay({
    no: 21,
    title: 'created_at',
    clauses: '[WR-006]',
    body: named({ created_at: 'x' }),
    answer: bad,
    param: 'created_at',
  }),
  ...everyWay({
    no: 21,
    title: 'updated_at',
    clauses: '[WR-007]',
    body: named({ updated_at: null }),
    answer: bad,
    param: 'updated_at',
  }),
  ...everyWay({
    no: 21,
    title: 'change_seq',
    clauses: '[WR-008]',
    body: named({ change_seq: 1 }),
    answer: bad,
    param: 'change_seq',
  }),
  {
    no: 22,
    title: 'created_by and world',
    clauses: '[WR-009][WR-010]',
    body: named({ created_by: 'me', world: {} }),
    answer: 201,
    reply: { created_by: null },
  },
  ...everyWay({
    no: 23,
    title: 'location_id',
    clauses: '[WR-031]',
    body: named({ location_id: null }),
    answer: bad,
    param: 'location_id',
  }),
  ...everyWay({
    no: 23,
    title: 'friends_ids',
    clauses: '[WR-032]',
    body: named({ friends_ids: [] }),
    answer: bad,
    param: 'friends_ids',
  }),
  {
    no: 23,
    title: 'x_parent_id',
    clauses: '[EL-031]',
    body: named({ x_parent_id: 1 }),
    answer: 201,
    reply: { x_parent_id: 1 },
  },
  ...everyWay({
    no: 24,
    title: 'an unknown field',
    clauses: '[WR-030]',
    body: named({ foo: 1 }),
    answer: bad,
    param: 'foo',
  }),
  {
    no: 24,
    title: 'a field in another case',
    clauses: '[WR-030]',
    body: { Name: 'x', name: 'x' },
    answer: bad,
    param: 'Name',
  },
  {
    no: 24,
    title: 'a field of another category',
    clauses: '[WR-030]',
    body: named({ narrator: null }),
    answer: bad,
    param: 'narrator',
  },
  {
    no: 24,
    title: 'a field with SQL in it',
    body: named({ 'name"; drop table x': 1 }),
    answer: bad,
    param: 'name"; drop table x',
  },
]

describeRows('a hostile field', () => known, rows)
