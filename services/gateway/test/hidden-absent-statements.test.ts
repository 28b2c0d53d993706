import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Api, ApiReply } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addFile } from './files-support'
import { newParty, type Party } from './permission-parties'
import { newOwner, type Owner } from './support'

/** What a reader does not see costs the same statements as what never was: their number would tell it by the time it takes. */

type Attributes = readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]

interface ResourceSpans {
  readonly resource: { readonly attributes: Attributes }
  readonly scopeSpans: readonly {
    readonly spans: readonly { readonly traceId: string; readonly name: string; readonly attributes: Attributes }[]
  }[]
}

/** Receives what the processes export, as OTLP in JSON. */
class Sink {
  readonly #statements = new Map<string, string[]>()
  readonly #server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.url === '/v1/traces') this.#take(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** SQL of a trace, so far. */
  of(trace: string): readonly string[] {
    return this.#statements.get(trace) ?? []
  }

  #take({ resourceSpans }: { resourceSpans: ResourceSpans[] }): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = textOf(resource.attributes, /^service\.name$/)
      for (const { traceId, name, attributes } of scopeSpans.flatMap(({ spans }) => spans)) {
        if (!name.startsWith('pg.query')) continue
        const statement = textOf(attributes, /^db\.(statement|query\.text)$/)
          .replaceAll(/\s+/g, ' ')
          .trim()
        this.#statements.set(traceId, [...this.of(traceId), `${service}: ${statement.slice(0, 100)}`])
      }
    }
  }
}

function textOf(attributes: Attributes, key: RegExp): string {
  return attributes.find((one) => key.test(one.key))?.value.stringValue ?? ''
}

const sink = new Sink()
let system: System
let own: Owner

beforeAll(async () => {
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  }
  // What the gateway keeps of a key must not lapse between two requests that are compared.
  const gateway = { ...traced, PRINCIPAL_TTL_MS: '3600000' }
  system = await startSystem({
    files: true,
    env: { gateway, element: traced, membership: traced, 'change-feed': traced, file: traced },
  })
})
afterAll(async () => {
  await system.stop()
  sink.close()
})

/** `file` is the element’s, when it is there. */
type Call = (by: Api, id: string, headers: Record<string, string>, file: string) => Promise<ApiReply>

const path = (id: string) => `/api/v2/narrative/${id}`

const reads: readonly [string, Call][] = [
  ['GET', (by, id, headers) => by.get(path(id), headers)],
  ['GET with expand', (by, id, headers) => by.get(`${path(id)}?expand=characters`, headers)],
  ['GET as another category', (by, id, headers) => by.get(`/api/v2/event/${id}`, headers)],
  ['a list of who names it', (by, id, headers) => by.get(`/api/v2/narrative?characters=${id}`, headers)],
  ['its files', (by, id, headers) => by.get(`${path(id)}/files`, headers)],
  ['a link to its file', (by, id, headers, file) => by.get(`${path(id)}/files/${file}/download`, headers)],
]
const writes: readonly [string, Call][] = [
  ['PATCH', (by, id, headers) => by.patch(path(id), { name: 'x' }, headers)],
  ['PATCH with If-Match', (by, id, headers) => by.patch(path(id), { name: 'x' }, { ...headers, 'If-Match': '1' })],
  ['links', (by, id, headers) => by.post(`${path(id)}/links/characters`, { add: [] }, headers)],
  ['DELETE', (by, id, headers) => by.delete(path(id), undefined, headers)],
  [
    'a file’s ticket',
    (by, id, headers) => by.post(`${path(id)}/files`, { name: 'a.txt', kind: 'txt', size: 1 }, headers),
  ],
  ['DELETE of its file', (by, id, headers, file) => by.delete(`${path(id)}/files/${file}`, undefined, headers)],
  ['hide', (by, id, headers) => by.put(`${path(id)}/hidden`, undefined, headers)],
  ['unhide', (by, id, headers) => by.delete(`${path(id)}/hidden`, undefined, headers)],
  ['a link to it', (by, id, headers) => by.post('/api/v2/construct', { name: 'x', narratives: [id] }, headers)],
]

/** The statements of a request, once all of them have been told. */
async function statementsOf(send: (headers: Record<string, string>) => Promise<ApiReply>): Promise<string[]> {
  const traced = async (request: typeof send) => {
    const trace = randomBytes(16).toString('hex')
    await request({ traceparent: `00-${trace}-${'1'.repeat(16)}-01` })
    return trace
  }
  const trace = await traced(send)
  // Each process tells what ended first first; this asks the same ones, so what it did comes last.
  const last = await traced(async (headers) => {
    await own.get('/api/v2/world/files', headers)
    return own.get(path(randomUUID()), headers)
  })
  const services = () => new Set(sink.of(last).map((statement) => statement.split(':')[0]))
  await until(() => services().has('element') && services().has('membership') && services().has('file'))
  return [...sink.of(trace)].sort()
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
  let unseen: [id: string, file: string][]
  beforeAll(async () => {
    own = await newOwner(system)
    reader = await newParty(system, own, name)
    const hidden = (await own.make('narrative', { characters: reader.character === null ? [] : [reader.character] })).id
    expect((await own.put(`${path(hidden)}/hidden`)).status).toBe(204)
    const ids = reader.role === 'guest' ? [hidden, (await own.make('narrative')).id] : [hidden]
    unseen = await Promise.all(
      ids.map(async (id) => [id, (await addFile(own, 'narrative', id)).id] as [string, string]),
    )
  })

  it.each(onlyReads(name) ? reads : [...reads, ...writes])(
    '[HD-035][HD-041][RL-024] costs no statement more or less: %s',
    async (_name, call) => {
      const count = (id: string, file: string = randomUUID()) =>
        statementsOf((headers) => call(reader, id, headers, file))
      // What is kept of the reader is found on the way; a second request finds it there.
      await count(randomUUID())
      const absent = await count(randomUUID())
      expect(absent.length).toBeGreaterThan(0)
      for (const [id, file] of unseen) expect(await count(id, file)).toEqual(absent)
    },
  )
})

function onlyReads(name: string): boolean {
  return name.startsWith('read key') || name === 'player'
}
