import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { api } from '@worlds/testkit/api'
import { repositoryRoot } from '@worlds/testkit/paths'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { newWorld, type World } from '@worlds/testkit/world'

interface Span {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly links?: readonly { readonly traceId: string }[]
}

/** Receives what the processes export, as OTLP in JSON. */
class Sink {
  readonly spans: Span[] = []
  text = ''
  readonly #server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    this.text += text
    if (request.url === '/v1/traces') this.#take(JSON.parse(text))
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

  #take({ resourceSpans }: { resourceSpans: ResourceSpans[] }): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...span, service })))
    }
  }
}

interface ResourceSpans {
  readonly resource: {
    readonly attributes: { readonly key: string; readonly value: { readonly stringValue?: string } }[]
  }
  readonly scopeSpans: { readonly spans: Omit<Span, 'service'>[] }[]
}

describe('telemetry', () => {
  const sink = new Sink()
  let system: System
  let world: World
  beforeAll(async () => {
    const traced = {
      OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen(),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    }
    const core = { gateway: traced, element: traced, membership: traced, 'change-feed': traced }
    const env = { ...core, file: traced, 'upload-host': traced }
    system = await startSystem({ env, files: true })
    world = await newWorld(system)
  })
  afterAll(async () => {
    await system.stop()
    sink.close()
  })

  it('follows a read and a write in one trace each, from the gateway to SQL', async () => {
    const owner = api(system.gateway, { ...world.headers })
    const [write, read, feed] = ['a', 'b', 'c'].map((digit) => digit.repeat(32)) as [string, string, string]
    const parent = (trace: string) => ({ traceparent: `00-${trace}-${'1'.repeat(16)}-01` })
    const made = await owner.post('/api/v2/character', { name: 'Traced' }, parent(write))
    expect(made.status).toBe(201)
    await owner.get(`/api/v2/character/${made.body.id}`, parent(read))
    await owner.get('/api/v2/changes', parent(feed))

    const servicesOf = (trace: string, wanted: (span: Span) => boolean) =>
      new Set(sink.spans.filter((span) => span.traceId === trace && wanted(span)).map(({ service }) => service))
    const isSql = ({ name }: Span) => name.startsWith('pg.query')
    await until(() => servicesOf(write, isSql).has('element'))
    await until(() => servicesOf(read, isSql).has('element'))
    await until(() => servicesOf(feed, isSql).has('change-feed'))
    for (const trace of [write, read]) {
      await until(() =>
        servicesOf(trace, ({ name }) => name.startsWith('POST') || name.startsWith('GET')).has('gateway'),
      )
    }
    await until(() => sink.spans.some(({ traceId, name }) => traceId === write && name === 'group commit'))

    // Every span has its parent in the same trace, up to the caller's own.
    await until(() => {
      const inTrace = sink.spans.filter(({ traceId }) => traceId === write)
      const known = new Set([...inTrace.map(({ spanId }) => spanId), '1'.repeat(16)])
      return inTrace.every(({ parentSpanId = '' }) => known.has(parentSpanId))
    })
  })

  it('follows a file from its ticket to its listing in one trace: HTTP, RPC, SQL, Redis, the store and the queue', async () => {
    const owner = api(system.gateway, { ...world.headers })
    const { id } = (await owner.post('/api/v2/character', { name: 'Bearer' })).body
    const trace = 'd'.repeat(32)
    const parent = { traceparent: `00-${trace}-${'1'.repeat(16)}-01` }
    const ask = { name: 'a.txt', kind: 'txt', size: 5 }
    const { ticket, upload_url } = (await owner.post(`/api/v2/character/${id}/files`, ask, parent)).body
    const sent = await fetch(upload_url, {
      method: 'POST',
      body: 'hello',
      headers: { ...parent, Authorization: `Bearer ${ticket}` },
    })
    expect(sent.status).toBe(201)
    const named = () =>
      new Set(sink.spans.filter(({ traceId }) => traceId === trace).map(({ service, name }) => `${service} ${name}`))
    const wanted = [
      ['gateway', /^POST/],
      ['file', /CreateTicket/],
      ['element', /FindElement/],
      ['element', /^pg.query/],
      ['upload-host', /^POST/],
      ['upload-host', /spendTicket|evalsha/],
      ['upload-host', /PutObject/],
      ['upload-host', /^addBulk file-stored/],
      ['file', /^process file-stored/],
      ['file', /^pg.query.*/],
    ] as const
    for (const [service, name] of wanted) {
      await until(() =>
        [...named()].some((text) => text.startsWith(`${service} `) && name.test(text.slice(service.length + 1))),
      )
    }
  })

  it('writes trace ids into logs and no secret into logs, traces or metrics', async () => {
    const owner = api(system.gateway, { ...world.headers })
    await owner.get('/api/v2/world')
    await owner.post('/api/v2/character', { name: 'x' }, { 'API-Pin': 'a-pin-that-is-none' })
    const names = ['gateway', 'element', 'membership', 'change-feed', 'file', 'upload-host']
    const logs = names.flatMap((name) => system.processes.logs(name)).join('\n')
    const metrics = await Promise.all(
      names.map(async (name) => (await fetch(`${system.processes.metrics(name)}/metrics`)).text()),
    )
    await until(() => sink.text.includes('AuthenticateKey'))
    const { signingKey } = system.ticketKeys
    for (const secret of [
      world.key,
      world.token,
      system.serviceToken,
      system.peppers,
      signingKey,
      'a-pin-that-is-none',
    ]) {
      for (const text of [logs, sink.text, metrics.join('\n')]) expect(text).not.toContain(secret)
    }
  })

  it('measures rate, errors and duration of every route and RPC', async () => {
    const metrics = async (name: string) => (await fetch(`${system.processes.metrics(name)}/metrics`)).text()
    expect(await metrics('gateway')).toMatch(
      /http_server_duration_seconds_count\{service="gateway",method="POST",route="\/api\/v2\/:type",status="201"\} [1-9]/,
    )
    expect(await metrics('element')).toMatch(
      /rpc_server_duration_seconds_count\{service="element",method="Elements\.CreateElement",outcome="ok"\} [1-9]/,
    )
    expect(await metrics('element')).toMatch(/element_group_commit_writes_count\{service="element"\} [1-9]/)
    expect(await metrics('element')).toMatch(/element_group_commit_wait_seconds_count\{service="element"\} [1-9]/)
  })

  it('counts refusals by code, and replays', async () => {
    const owner = api(system.gateway, { ...world.headers })
    const once = { 'Idempotency-Key': 'counted' }
    for (const _attempt of [1, 2]) await owner.post('/api/v2/character', { name: 'Once' }, once)
    await owner.get('/api/v2/character/not-an-id')
    const text = await (await fetch(`${system.processes.metrics('gateway')}/metrics`)).text()
    expect(text).toMatch(/http_refusals_total\{code="invalid_request",service="gateway"\} [1-9]/)
    expect(text).toMatch(/idempotent_replays_total\{service="gateway"\} 1/)
  })

  it('has every metric that the operating guide lists, and lists every metric of our own', async () => {
    const names = ['gateway', 'element', 'membership', 'change-feed', 'file', 'upload-host']
    const texts = await Promise.all(
      names.map(async (name) => (await fetch(`${system.processes.metrics(name)}/metrics`)).text()),
    )
    // What the client library tells of Node itself is its own.
    const all = texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
    const own = new Set(all.filter((name) => !/^(process|nodejs)_/.test(name)))
    const guide = readFileSync(join(repositoryRoot, 'docs/settings.md'), 'utf8')
    const [, table = ''] = /\| Metric \| \|\n([\s\S]*?)(?:\n\n|$)/.exec(guide) ?? []
    const cells = table.split('\n').map((line) => line.split('|')[1] ?? '')
    const listed = new Set([...cells.join().matchAll(/`([a-z0-9_]+)`/g)].map(([, name = '']) => name))
    expect([...listed].sort()).toEqual([...own].sort())
  })
})
