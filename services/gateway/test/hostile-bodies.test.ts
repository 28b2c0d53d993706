import { gzipSync } from 'node:zlib'
import { type System, startSystem } from '@worlds/testkit/system'
import { describeRows, type Hostile, type Known, newKnown } from './hostile-table'

let system: System
let known: Known

beforeAll(async () => {
  system = await startSystem()
  known = await newKnown(system)
})
afterAll(() => system.stop())

const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))
const sized = (length: number) => `{"name":"${'x'.repeat(10)}"${' '.repeat(length - 21)}}`
const nested = (depth: number) => `{"name":"x","x_deep":${'['.repeat(depth)}${']'.repeat(depth)}}`
const gzip = { 'Content-Encoding': 'gzip' }
const typed = (type: string) => ({ 'Content-Type': type })
const bad = 'invalid_request'

const rows: readonly Hostile[] = [
  { no: 1, title: 'text that is no JSON', clauses: '[ER-011]', body: 'nope', answer: bad },
  { no: 1, title: 'JSON that is cut off', clauses: '[ER-011]', body: '{"name":"x"', answer: bad },
  { no: 1, title: 'JSON with something after it', body: '{"name":"x"}{}', answer: bad },
  { no: 1, title: 'NaN as a value', body: '{"name":"x","height":NaN}', answer: bad },
  { no: 1, title: 'a trailing comma', body: '{"name":"x",}', answer: bad },
  { no: 1, title: 'an empty body', clauses: '[ER-012]', body: '', answer: bad },
  { no: 1, title: 'no body', clauses: '[ER-012]', answer: bad },
  { no: 1, title: 'white space alone', body: ' \n', answer: bad },
  ...['null', '5', '[]', '"x"', 'true', '[{"name":"x"}]'].map((body) => {
    return { no: 2, title: `${body} as an element`, clauses: '[ER-012]', body, answer: bad }
  }),
  { no: 2, title: 'null as a link operation', path: links, body: 'null', answer: bad },
  {
    no: 2,
    title: 'an array as a change of the world',
    method: 'patch',
    path: '/api/v2/world',
    body: '[]',
    answer: bad,
  },
  {
    no: 3,
    title: 'a byte order mark',
    body: bytes([0xef, 0xbb, 0xbf], '{"name":"B"}'),
    answer: 201,
    reply: { name: 'B' },
  },
  { no: 4, title: 'a byte that is no UTF-8', body: bytes('{"name":"', [0xff], '"}'), answer: bad },
  { no: 4, title: 'an overlong form', body: bytes('{"name":"', [0xc0, 0x80], '"}'), answer: bad },
  { no: 4, title: 'a surrogate in UTF-8', body: bytes('{"name":"', [0xed, 0xa0, 0x80], '"}'), answer: bad },
  { no: 4, title: 'a character cut in two', body: bytes('{"name":"x"}', [0xf0, 0x9f]), answer: bad },
  { no: 4, title: 'bad UTF-8 in a bulk', path: '/api/v2/bulk', body: bytes('{"items":["', [0xff], '"]}'), answer: bad },
  { no: 5, title: '2,621,440 bytes', clauses: '[LM-004]', body: sized(2_621_440), answer: 201 },
  { no: 5, title: '2,621,441 bytes', clauses: '[LM-004][LM-005]', body: sized(2_621_441), answer: 'payload_too_large' },
  { no: 6, title: 'gzip that inflates to the cap', body: gzipSync(sized(2_621_440)), headers: gzip, answer: 201 },
  {
    no: 6,
    title: 'gzip that inflates to more',
    clauses: '[LM-004][LM-005]',
    body: gzipSync(sized(2_621_441)),
    headers: gzip,
    answer: 'payload_too_large',
  },
  {
    no: 6,
    title: 'a gzip bomb',
    body: gzipSync(sized(250 << 20)),
    headers: gzip,
    answer: 'payload_too_large',
    within: 1000,
  },
  ...['br', 'deflate', 'zstd', 'gzip, gzip', 'nope'].map((coding) => {
    const headers = { 'Content-Encoding': coding }
    return {
      no: 6,
      title: `the coding ${coding}`,
      body: '{"name":"x"}',
      headers,
      answer: bad,
      param: 'Content-Encoding',
    }
  }),
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'image/png', 'nope'].map(
    (type) => ({ no: 7, title: `JSON sent as ${type}`, body: '{"name":"x"}', headers: typed(type), answer: 201 }),
  ),
  { no: 7, title: 'a form that is no JSON', body: 'name=x', headers: typed('text/plain'), answer: bad },
  ...['utf-16', 'UTF-16LE', 'iso-8859-1', '"utf-16"'].map((charset) => {
    const headers = typed(`application/json; charset=${charset}`)
    return { no: 8, title: `the charset ${charset}`, body: '{"name":"x"}', headers, answer: bad, param: 'Content-Type' }
  }),
  ...['utf-8', 'UTF-8', 'utf8', '"utf-8"'].map((charset) => {
    const headers = typed(`application/json; charset=${charset}`)
    return { no: 8, title: `the charset ${charset}`, body: '{"name":"x"}', headers, answer: 201 }
  }),
  { no: 9, title: '64 levels in an extension', body: nested(64), answer: 201 },
  { no: 9, title: '65 levels in an extension', body: nested(65), answer: bad, param: 'x_deep' },
  { no: 9, title: '20,000 levels in an extension', body: nested(20_000), answer: bad, param: 'x_deep', within: 1000 },
  { no: 9, title: '1.2 million levels', body: nested(1_200_000), answer: bad, param: 'x_deep', within: 1000 },
  { no: 9, title: '1.2 million levels that never close', body: '['.repeat(1_200_000), answer: bad, within: 1000 },
  {
    no: 9,
    title: '1.2 million levels under an idempotency key',
    body: nested(1_200_000),
    headers: { 'Idempotency-Key': 'deep' },
    answer: bad,
    param: 'x_deep',
    within: 1000,
  },
  {
    no: 9,
    title: '1.2 million levels as a change of the world',
    method: 'patch',
    path: '/api/v2/world',
    body: `{"name":${'['.repeat(1_200_000)}${']'.repeat(1_200_000)}}`,
    answer: bad,
    param: 'name',
    within: 1000,
  },
]

function links({ character }: Known): string {
  return `/api/v2/character/${character}/links/friends`
}

describeRows('a hostile body', () => known, rows)
