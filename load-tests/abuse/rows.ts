/** Requests that cost much: one row each. `scale` is 1, or less for the bounded run. */

import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { World } from '@worlds/testkit/world'
import { atOnce, head, json, send, slowly, type Tally, toolCall } from './client'
import type { LargeData } from './data'

export interface Abuse {
  readonly gateway: string
  readonly world: World
  readonly data: LargeData
  readonly tally: Tally
  readonly scale: number
}

export interface AbuseRow {
  readonly name: string
  /** Its replies have no limit but what there is: they are streamed. */
  readonly isUnlimited?: boolean
  run(abuse: Abuse): Promise<unknown>
}

const megabytes = (count: number) => Math.floor(count * (1 << 20))
const keyOf = ({ world }: Abuse) => ({ ...world.headers })

const many = (item: string, bytes: number) => `[${`${item},`.repeat(Math.floor(bytes / (item.length + 1)))}${item}]`

function mcp(name: string, body: () => string): AbuseRow {
  const run = async (abuse: Abuse, headers: Record<string, string>) => {
    const call = { method: 'POST', path: '/mcp', headers: { ...json, ...headers }, body: body() }
    for (let time = 0; time < 4; time += 1) await send(abuse.gateway, abuse.tally, call)
    await atOnce(8, () => send(abuse.gateway, abuse.tally, call))
  }
  return {
    name,
    run: async (abuse) => {
      await run(abuse, {})
      await run(abuse, keyOf(abuse))
    },
  }
}

/** Lists, expanded or not, that are as large as any. */
function reads(name: string, count: number, pathOf: (data: LargeData, index: number) => string): AbuseRow {
  return {
    name,
    run: (abuse) =>
      atOnce(Math.ceil(count * abuse.scale), (index) =>
        send(abuse.gateway, abuse.tally, { path: pathOf(abuse.data, index), headers: keyOf(abuse) }),
      ),
  }
}

function writes(
  name: string,
  count: number,
  callOf: (data: LargeData, index: number) => { method: string; path: string; body?: string | Uint8Array },
  more: Record<string, string> = {},
): AbuseRow {
  return {
    name,
    run: (abuse) =>
      atOnce(Math.ceil(count * abuse.scale), (index) =>
        send(abuse.gateway, abuse.tally, { ...callOf(abuse.data, index), headers: { ...keyOf(abuse), ...more } }),
      ),
  }
}

/** So many connections, each with one request that is sent or read slowly. */
function slow(
  name: string,
  count: number,
  ms: number,
  request: (abuse: Abuse, index: number) => { start: string; drip?: string; reads: boolean },
): AbuseRow {
  return {
    name,
    run: ({ scale, ...abuse }) =>
      slowly(abuse.gateway, Math.ceil(count * scale), ms, (socket, index) => {
        const { start, drip, reads: isRead } = request({ ...abuse, scale }, index)
        socket.write(start)
        if (!isRead) socket.pause()
        if (drip === undefined) return
        const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(drip)), 1_000)
        socket.once('close', () => clearInterval(timer))
      }),
  }
}

const numbers = many('1', megabytes(2.3))
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"a${index}":1`).join()}}`
const element = (fields: string) => ({ method: 'POST', path: '/api/v2/character', body: `{"name":"x",${fields}}` })
const bulk = (items: string) => ({ method: 'POST', path: '/api/v2/bulk', body: `{"items":${items}}` })

export const rows: readonly AbuseRow[] = [
  mcp('mcp: 150,000 empty items', () => toolCall('bulk_apply', `{"items":${many('{}', 440 << 10)}}`)),
  mcp('mcp: 200,000 numbers as ids', () =>
    toolCall('edit_links', `{"type":"event","id":"x","field":"y","add":${many('1', 440 << 10)}}`),
  ),
  mcp(
    'mcp: 200,000 keys of _meta',
    () => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${keys(200_000)}}}`,
  ),
  mcp('mcp: 200,000 unknown arguments', () => toolCall('get_element', keys(150_000))),
  mcp('mcp: 1,000 bad items', () => toolCall('bulk_apply', `{"items":${many('{"type":"nope"}', 16_000)}}`)),
  reads('list with 200,000 stubs', 8, () => '/api/v2/narrative?limit=1000&expand=characters'),
  { ...reads('classic list with 200,000 stubs', 4, () => '/api/worldapi/narrative?limit=1000'), isUnlimited: true },
  reads('one element with 60,000 stubs', 8, ({ linked }) => `/api/v2/event/${linked}?expand=characters`),
  reads('classic element with 60,000 stubs', 8, ({ linked }) => `/api/worldapi/event/${linked}/`),
  writes('bulk that names large elements', 2, ({ large }) =>
    bulk(JSON.stringify(large.map((id) => ({ type: 'location', element: { id, name: 'Small' } })))),
  ),
  {
    name: 'deletion of what large elements link to',
    run: (abuse) =>
      send(abuse.gateway, abuse.tally, {
        method: 'DELETE',
        path: `/api/v2/location/${abuse.data.target}`,
        headers: keyOf(abuse),
      }),
  },
  writes('changes of large elements at once', 32, ({ carriers }, index) => ({
    method: 'PATCH',
    path: `/api/v2/zone/${carriers[index % carriers.length]}`,
    body: `{"supertype":"${index}"}`,
  })),
  {
    name: 'mcp: a file of control characters',
    run: ({ gateway, world, data, tally }) =>
      atOnce(8, () =>
        send(gateway, tally, {
          method: 'POST',
          path: '/mcp',
          headers: { ...json, ...world.headers },
          body: toolCall('read_file', `{"type":"event","id":"${data.linked}","file_id":"${data.file}"}`),
        }),
      ),
  },
  reads('64 pages of 8 MiB at once', 64, () => '/api/v2/zone?limit=1000'),
  reads('64 feed pages of 8 MiB at once', 64, () => '/api/v2/changes?limit=1000'),
  reads(
    '64 elements of 2.4 MB at once',
    64,
    ({ carriers }, index) => `/api/v2/zone/${carriers[index % carriers.length]}`,
  ),
  slow('64 clients that read nothing of 8 MiB', 64, 15_000, (abuse) => ({
    start: head('GET', '/api/v2/zone?limit=1000', keyOf(abuse)),
    reads: false,
  })),
  slow('1,000 clients that read nothing', 1_000, 15_000, (abuse, index) => ({
    start: head('GET', index % 4 === 0 ? '/api/v2/zone?limit=1' : '/api/v2/narrative?limit=100', keyOf(abuse)),
    reads: false,
  })),
  slow('64 anonymous bodies, byte by byte', 64, 15_000, (_abuse, index) => ({
    start: `${head('POST', index % 2 === 0 ? '/api/v2/join' : '/mcp', json, 60_000)}{"code":"`,
    drip: 'x',
    reads: true,
  })),
  slow('1,000 bodies with a key, byte by byte', 1_000, 15_000, (abuse) => ({
    start: `${head('POST', '/api/v2/character', keyOf(abuse), 100_000)}{"name":"`,
    drip: 'x'.repeat(100),
    reads: true,
  })),
  writes('extension of 2.3 MB of numbers', 8, () => element(`"x_numbers":${numbers}`)),
  writes('1.2 million levels', 8, () => element(`"x_deep":${deep(1_200_000)}`)),
  writes('types nested 5,000 deep', 8, () => bulk(`[{"type":${deep(1_900)},"element":{"name":"x"}}]`)),
  writes('a million empty objects', 8, () => bulk(many('{}', megabytes(2.4)))),
  writes('1,000 items of numbers', 4, () =>
    bulk(many(`{"type":"event","element":{"name":"x","x_n":${many('1', 2_200)}}}`, megabytes(2.4))),
  ),
  writes('100,000 unknown fields', 8, () => element(keys(100_000).slice(1, -1))),
  writes('60,000 links to nothing', 8, () => ({
    method: 'POST',
    path: '/api/v2/event',
    body: `{"name":"x","characters":${many('"01900000-0000-7000-8000-000000000000"', megabytes(2.4))}}`,
  })),
  writes('bodies of 2.5 MB at once', 200, () => element(`"description":"${'x'.repeat(2_600_000)}"`)),
  writes(
    'gzip bodies that inflate a thousandfold',
    64,
    () => ({ ...element(''), body: gzipSync(Buffer.alloc(megabytes(200))) }),
    { 'content-encoding': 'gzip' },
  ),
  reads('300 health checks', 300, () => '/api/v2/health'),
  reads('filters of 10 KB of wildcards', 32, () => `/api/v2/zone?name__icontains=${'%25'.repeat(3_000)}`),
  reads('10,000 fields asked for', 32, () => `/api/v2/zone?limit=5&fields=${'name,'.repeat(2_500)}name`),
  {
    name: 'at rest afterwards',
    run: async ({ gateway, world, tally }) => {
      await sleep(1_000)
      await send(gateway, tally, { path: '/api/v2/world', headers: { ...world.headers } })
    },
  },
]
