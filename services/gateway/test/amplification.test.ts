/**
 * Random requests that seek size: no reply is larger than its limit, none is a 500, and no process ends. Longer with
 * AMPLIFICATION_SECONDS, another way with RANDOM_SEED.
 */
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import fc from 'fast-check'
import { newOwner, type Owner } from './support'

const replyLimit = 9 << 20

/** The classic list alone has no pages (CL-003): it is streamed, however long it is. */
const classicList = /^\/api\/worldapi\/[a-z]+\/?\?/
const seconds = Number(process.env.AMPLIFICATION_SECONDS ?? 55)
const seed = Number(process.env.RANDOM_SEED ?? 20_260)
jest.setTimeout((seconds + 90) * 1_000)

let system: System
let own: Owner
let ids: string[]
let narratives: string[]

beforeAll(async () => {
  system = await startSystem({ files: true, env: { gateway: { REQUEST_BUDGET: '1000000' } } })
  own = await newOwner(system)
  ids = await own.seed(
    'character',
    Array.from({ length: 400 }, () => ({ name: '😀'.repeat(255), image_url: 'u'.repeat(1_024) })),
  )
  const linking = Array.from({ length: 100 }, () => ({ name: 'n'.repeat(255), characters: ids }))
  narratives = await own.seed('narrative', linking)
  for (let index = 0; index < 5; index += 1) await own.make('event', { description: '\u0001'.repeat(380_000) })
})
afterAll(() => system.stop())

interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string
  readonly headers: Record<string, string>
}

/** Texts that grow when they are escaped, counted, folded or told back. */
const unit = fc.constantFrom('x', '\u0000', '"', '\\', '😀', 'İ', '\u2028', '%', '/', '[', '{"":')
const size = fc.constantFrom(0, 1, 255, 256, 5_000, 60_000, 400_000)
const text = fc.tuple(unit, size).map(([one, times]) => one.repeat(Math.min(times, 600_000 / one.length)))
const count = fc.constantFrom(0, 1, 10, 999, 1_000, 1_001, 20_000)
const type = fc.constantFrom('character', 'narrative', 'event', 'location', 'relation', 'map', 'pin', 'none')

const idLists = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    count.map((many) => Array.from({ length: many }, (_, index) => ids[index % ids.length])),
    count.map((many) => Array(many).fill(1)),
    fc.constant(ids),
    text,
  )

/** JSON text that nests. */
const deep = fc
  .tuple(fc.constantFrom('[', '{"a":'), fc.constantFrom(1, 100, 1_990, 2_010, 100_000))
  .map(([open, times]) => open.repeat(times) + (open === '[' ? '' : '1') + (open === '[' ? ']' : '}').repeat(times))

const fields = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .record(
        {
          ...{ name: text, description: text, supertype: text, image_url: text, x_note: text, nonsense: text },
          ...{ characters: idLists(), friends: idLists(), level: text, id: fc.constantFrom(...ids.slice(0, 5)) },
        },
        { requiredKeys: ['name'] },
      )
      .map((value) => JSON.stringify(value)),
    fc
      .tuple(fc.constantFrom('x_deep', 'description', 'characters'), deep)
      .map(([name, raw]) => `{"name":"n","${name}":${raw}}`),
    count.map((many) => JSON.stringify(Object.fromEntries(Array.from({ length: many }, (_, at) => [`f${at}`, at])))),
    deep,
  )

const bulk = () =>
  fc.tuple(count, type, fields(), fc.constantFrom('', ',"atomic":true')).map(([many, slug, raw, atomic]) => {
    const item = `{"type":"${slug}","element":${raw}}`
    const fitting = Math.max(1, Math.min(many, Math.floor(2_500_000 / item.length)))
    return `{"items":[${Array(fitting).fill(item).join()}]${atomic}}`
  })

const queries = fc
  .array(
    fc.tuple(
      ...[
        fc.constantFrom('expand', 'fields', 'name', 'name__icontains', 'limit', 'cursor', 'since', 'as', 'q', 'none'),
      ],
      fc.oneof(
        fc.constantFrom('characters', '1000', '0', 'friends,rivals,location'),
        text.map((one) => one.slice(0, 2_000)),
      ),
    ),
    { maxLength: 5 },
  )
  .map((pairs) =>
    pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed()).slice(0, 6_000)}`).join('&'),
  )

const manyQueries = count.map((many) =>
  Array(Math.min(many, 2_000)).fill('expand=characters').join('&').slice(0, 14_000),
)
const query = fc.oneof(fc.constant('limit=1000&expand=characters'), queries, manyQueries)

const id = () =>
  fc.oneof(fc.constantFrom(...ids.slice(0, 5), ...narratives.slice(0, 5)), fc.constant('x'.repeat(5_000)))
const root = fc.constantFrom('/api/v2/', '/api/worldapi/')

const tool = () => {
  const args = fc.oneof(
    fc.record({ type, element: fields() }).map(({ type: slug, element }) => `{"type":"${slug}","element":${element}}`),
    fc
      .record({ type, id: id(), element: fields() })
      .map((one) => `{"type":"${one.type}","id":"${one.id}","element":${one.element}}`),
    fc.record({ type, id: id(), field: text, add: idLists(), remove: idLists() }).map((one) => JSON.stringify(one)),
    fc.record({ type, limit: count, name: text, query: text }, { requiredKeys: [] }).map((one) => JSON.stringify(one)),
    bulk(),
    deep,
  )
  const name = fc.constantFrom(
    ...['list_elements', 'get_element', 'search_elements', 'get_changes', 'list_files', 'read_file', 'search_schema'],
    ...[
      'list_element_types',
      'get_element_schema',
      'create_element',
      'update_element',
      'edit_links',
      'bulk_apply',
      'none',
    ],
  )
  return fc
    .tuple(name, args, fc.constantFrom('tools/call', 'tools/call', 'tools/call', 'tools/list', 'ping'))
    .map(
      ([called, raw, method]) =>
        `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"name":"${called}","arguments":${raw}}}`,
    )
}

function requests(): fc.Arbitrary<Sent> {
  const of = (method: Sent['method'], path: fc.Arbitrary<string>, body?: fc.Arbitrary<string>): fc.Arbitrary<Sent> =>
    fc
      .tuple(path, body ?? fc.constant(undefined), fc.constantFrom(true, true, true, true, false))
      .map(([to, sent, keyed]) => ({
        ...{ method, path: to, ...(sent === undefined ? {} : { body: sent }) },
        headers: keyed ? { ...own.headers } : {},
      }))
  const lists = fc.tuple(root, type, query).map(([at, slug, search]) => `${at}${slug}?${search}`)
  const elements = fc.tuple(root, type, id(), query).map(([at, slug, one, search]) => `${at}${slug}/${one}/?${search}`)
  const bare = fc.tuple(root, type, id()).map(([at, slug, one]) => `${at}${slug}/${one}${at === '/api/v2/' ? '' : '/'}`)
  const others = fc.constantFrom(
    'changes',
    'search',
    'members',
    'hidden',
    'me',
    'world',
    'files',
    'typings/event',
    'docs',
  )
  const links = fc.tuple(type, id(), fc.constantFrom('characters', 'friends', 'none'))
  const edits = fc.record({ add: idLists(), remove: idLists() }, { requiredKeys: [] }).map((one) => JSON.stringify(one))
  const join = fc.tuple(text, text).map(([code, name]) => JSON.stringify({ code, name, agent_name: name }))
  return fc.oneof(
    of('GET', lists),
    of('GET', elements),
    of(
      'GET',
      fc.tuple(others, query).map(([path, search]) => `/api/v2/${path}?${search}`),
    ),
    of(
      'POST',
      fc.tuple(root, type).map(([at, slug]) => `${at}${slug}${at === '/api/v2/' ? '' : '/'}`),
      fields(),
    ),
    of('PUT', bare, fields()),
    of('PATCH', bare, fields()),
    of('DELETE', bare),
    of(
      'POST',
      links.map(([slug, one, field]) => `/api/v2/${slug}/${one}/links/${field}`),
      edits,
    ),
    of('POST', fc.constant('/api/v2/bulk'), bulk()),
    of('PATCH', fc.constant('/api/v2/world'), fields()),
    of('POST', fc.constant('/api/v2/join'), join),
    of('POST', fc.constant('/mcp'), tool()),
  )
}

const services = ['gateway', 'element', 'membership', 'change-feed', 'file', 'upload-host']

async function longestStall(name: string): Promise<number> {
  const { text: metrics } = await api(system.processes.metrics(name)).get('/metrics')
  return Number(/^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)$/m.exec(metrics)?.[1])
}

/** What a process did wrong with a request; null for nothing. */
async function faultOf({ method, path, body, headers }: Sent): Promise<string | null> {
  const protocol: Record<string, string> = path === '/mcp' ? { Accept: 'application/json, text/event-stream' } : {}
  const response = await fetch(new URL(path, system.gateway), {
    ...{ method, redirect: 'manual', ...(body === undefined ? {} : { body }) },
    headers: { ...headers, 'Content-Type': 'application/json', ...protocol },
  })
  let bytes = 0
  for await (const piece of response.body ?? []) bytes += piece.length
  const isClassicList = method === 'GET' && classicList.test(path)
  if (bytes > replyLimit && !isClassicList) return `${bytes} bytes`
  return response.status === 500 ? 'a 500' : null
}

describe('requests that seek size', () => {
  it('are answered by replies of a limited size, without a fault, and end no process', async () => {
    const pids = services.map((name) => system.processes.pid(name))
    const stalls = new Map(services.map((name) => [name, 0]))
    let sent = 0
    const property = fc.asyncProperty(requests(), async (request) => {
      sent += 1
      const fault = await faultOf(request)
      if (sent % 20 === 0) {
        for (const name of services) stalls.set(name, Math.max(stalls.get(name) ?? 0, await longestStall(name)))
      }
      if (fault !== null)
        throw new Error(`${fault}: ${request.method} ${request.path.slice(0, 300)} ${request.body?.slice(0, 300)}`)
    })
    const limits = { numRuns: 1_000_000, interruptAfterTimeLimit: seconds * 1_000, endOnFailure: true }
    await fc.assert(property, { seed, ...limits })
    expect(services.map((name) => [name, system.processes.exitCode(name)])).toEqual(
      services.map((name) => [name, null]),
    )
    expect(services.map((name) => system.processes.pid(name))).toEqual(pids)
    const longest = [...stalls].map(([name, s]) => `${name} ${Math.round(s * 1_000)} ms`).join(', ')
    console.log(`${sent} requests with seed ${seed}; longest stalls of the event loop: ${longest}`)
  })
})
