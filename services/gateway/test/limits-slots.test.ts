import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type HeldSlots, holdSlots, readLock, writeLock } from './held-slots'
import { accountApi, expectError, headOf, Raw } from './hostile-table'
import { type Body, expectBody, newOwner, newReader, type Owner } from './support'

const waitMs = 900
let system: System
let own: Owner
let held: HeldSlots[] = []
/** Connections whose requests wait. */
let waitingRaws: Raw[] = []

beforeAll(async () => {
  const env = { REQUEST_SLOTS: '1', REQUEST_SLOT_WAIT_MS: String(waitMs), REQUEST_SLOT_QUEUE: '40' }
  system = await startSystem({ env: { gateway: env } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})
afterEach(async () => {
  for (const slots of held) await slots.end()
  for (const raw of waitingRaws) raw.leave()
  held = []
  waitingRaws = []
  await until(async () => (await gauge('in_use')) + (await gauge('waiting')) === 0)
})

async function metric(name: string): Promise<number> {
  const { text } = await api(system.processes.metrics('gateway')).get('/metrics')
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1])
}
const gauge = (name: string) => metric(`request_slots_${name}`)

interface Held {
  /** Lets the request go on; its reply's body. */
  finish(): Promise<Body>
  leave(): void
}

/** A write that keeps its slot: its commit waits for a lock on its world. */
function hold(): Promise<Held> {
  const body = '{"name":"Held"}'
  const line = `${headOf(own, 'POST /api/v2/character', [`Content-Length: ${body.length}`])}${body}`
  return holdBehind(writeLock(own.world), line)
}

/** A read that keeps its slot: its statement waits for a lock on what it reads. */
function holdReading(): Promise<Held> {
  return holdBehind(readLock, headOf(own, 'GET /api/v2/event'))
}

async function holdBehind(lock: string, request: string): Promise<Held> {
  const slots = await holdSlots(system, lock, [request], () => gauge('in_use'))
  held.push(slots)
  const [raw] = slots.requests as [Raw]
  return {
    async finish() {
      await slots.unlock()
      const { status, body } = (await raw.reply()) as never
      expect([200, 201]).toContain(status)
      return body
    },
    leave: () => raw.leave(),
  }
}

/** Sends a request that waits for a slot; by the time this resolves it does. */
async function queued<T>(send: () => Promise<T>): Promise<{ answer: Promise<T> }> {
  const before = await gauge('waiting')
  const answer = send()
  await until(async () => (await gauge('waiting')) > before)
  return { answer }
}

function expectBusy(reply: Body): void {
  expectError(reply, 'server_busy')
  expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
}

describe('while every slot is taken', () => {
  it('[LM-001][LM-002] a request is 503 server_busy after the time it may wait, with the seconds to retry', async () => {
    await hold()
    const started = performance.now()
    expectBusy(await own.get('/api/v2/world'))
    const took = performance.now() - started
    expect(took).toBeGreaterThan(waitMs - 50)
    expect(took).toBeLessThan(waitMs + 700)
  })

  it('[LM-003] a request that finds one in time is served', async () => {
    const holder = await hold()
    const { answer } = await queued(() => own.get('/api/v2/world'))
    await holder.finish()
    expect((await answer).status).toBe(200)
  })

  it('[LM-003] a slot is free again when its holder leaves', async () => {
    const holder = await holdReading()
    const { answer } = await queued(() => own.get('/api/v2/world'))
    holder.leave()
    expect((await answer).status).toBe(200)
  })

  it('[LM-003] clients have their turns: one with many requests lets others go before its next', async () => {
    const other = await newOwner(system)
    const holder = await hold()
    const many: Promise<Body>[] = []
    for (let place = 0; place < 6; place += 1) many.push((await queued(() => own.get('/api/v2/me'))).answer)
    const order: string[] = []
    for (const reply of many) void reply.then(() => order.push('many'))
    const { answer } = await queued(() => other.get('/api/v2/me'))
    const one = answer.then(() => order.push('one'))
    await holder.finish()
    await Promise.all([one, ...many])
    expect(order.indexOf('one')).toBeLessThan(3)
  })

  it.each<[string, (reader: Api) => Promise<Body>]>([
    ['a list', () => own.get('/api/v2/character')],
    ['a write', () => own.post('/api/v2/character', { name: 'x' })],
    ['bulk', () => own.post('/api/v2/bulk', { items: [] })],
    ['the feed', () => own.get('/api/v2/changes')],
    ['who a key is', () => own.get('/api/v2/me')],
    ['a read key', (reader) => reader.get('/api/v2/world')],
    ['an account', () => accountApi(system.gateway, own.token).get('/api/v2/account')],
    ['nobody', () => api(system.gateway).get('/api/v2/world')],
    ['a body over the limit', () => own.post('/api/v2/character', ' '.repeat(2_621_441))],
  ])('[LM-009] %s waits like any other', async (_name, send) => {
    const reader = await newReader(system, own)
    await hold()
    const head = headOf(own, 'GET /api/v2/nope')
    const { answer } = await queued(() => send(reader))
    expectError(await new Raw(system.gateway).send(head).reply(), 'not_found')
    expectBusy(await answer)
  })

  it('[LM-003] those who wait are let in one after another as they came', async () => {
    const holder = await hold()
    const waiting: Promise<Body>[] = []
    for (let place = 0; place < 6; place += 1) {
      waiting.push((await queued(() => own.post('/api/v2/zone', { name: `Z${place}` }))).answer)
    }
    await holder.finish()
    const places = (await Promise.all(waiting)).map((reply) => expectBody(reply, 201).change_seq)
    expect(places).toEqual([2, 3, 4, 5, 6, 7])
  })

  it('[LM-003] one who leaves gives the place in the row up and is never worked on', async () => {
    const holder = await hold()
    const quitter = new Raw(system.gateway)
    const body = '{"name":"Gone"}'
    const lines = [`Content-Length: ${body.length}`]
    await queued(async () => quitter.send(headOf(own, 'POST /api/v2/character', lines) + body))
    const { answer } = await queued(() => own.post('/api/v2/zone', { name: 'Next' }))
    expect(await gauge('waiting')).toBe(2)
    quitter.leave()
    await until(async () => (await gauge('waiting')) === 1)
    await holder.finish()
    expect(expectBody(await answer, 201).change_seq).toBe(2)
    const { data } = (await own.get('/api/v2/character')).body
    expect(data.map(({ name }: Body) => name)).toEqual(['Held'])
  })

  it('[LM-001] more than may wait are refused at once', async () => {
    await hold()
    const waiting = Array.from({ length: 40 }, () => own.get('/api/v2/me'))
    await until(async () => (await gauge('waiting')) === 40)
    const started = performance.now()
    expectBusy(await own.get('/api/v2/me'))
    expect(performance.now() - started).toBeLessThan(waitMs / 2)
    for (const reply of await Promise.all(waiting)) expectBusy(reply)
  })
})

describe('a body', () => {
  it('[LM-001] is not asked for before its request has a slot', async () => {
    const holder = await hold()
    const raw = new Raw(system.gateway)
    waitingRaws.push(raw)
    await queued(async () => raw.send(headOf(own, 'POST /api/v2/zone', ['Content-Length: 12', 'Expect: 100-continue'])))
    expect(raw.text).toBe('')
    await holder.finish()
    await until(() => raw.text !== '')
    expect(raw.text).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    raw.send('{"name":"Z"}')
    await until(() => raw.text.includes('"name":"Z"'))
    expect(raw.text).toContain('HTTP/1.1 201 Created')
  })

  it('[LM-001] takes no memory while its request waits', async () => {
    const holder = await holdReading()
    const before = await metric('process_resident_memory_bytes')
    const padding = ' '.repeat(2_600_000)
    const waiting = Array.from({ length: 36 }, () => own.post('/api/v2/zone', `{"name":"Z"}${padding}`))
    await until(async () => (await gauge('waiting')) === 36)
    const during = await metric('process_resident_memory_bytes')
    expect(during - before).toBeLessThan(40 << 20)
    for (const reply of await Promise.all(waiting)) expectBusy(reply)
    holder.leave()
    for (const slots of held) await slots.unlock()
    expect(await own.head()).toBe(0)
  })
})

describe('the gauges', () => {
  it('[LM-009] tell of slots there are, in use and waited for, and come back to rest', async () => {
    const read = () => Promise.all(['capacity', 'in_use', 'waiting'].map(gauge))
    expect(await read()).toEqual([1, 0, 0])
    const holder = await hold()
    expect(await read()).toEqual([1, 1, 0])
    const refused = await gauge('refused_total')
    const first = await queued(() => own.get('/api/v2/me'))
    const second = await queued(() => own.get('/api/v2/me'))
    expect(await read()).toEqual([1, 1, 2])
    for (const { answer } of [first, second]) expectBusy(await answer)
    expect(await gauge('refused_total')).toBe(refused + 2)
    await holder.finish()
    await until(async () => (await gauge('in_use')) === 0)
    expect(await read()).toEqual([1, 0, 0])
  })

  it('[LM-009] and the probes and health are answered while every slot is taken', async () => {
    await hold()
    const probes = api(system.processes.metrics('gateway'))
    for (const path of ['/livez', '/readyz', '/metrics']) expect((await probes.get(path)).status).toBe(200)
    const health = await api(system.gateway).get('/api/v2/health')
    expect([health.status, health.body]).toEqual([200, { status: 'ok', service: 'world-data-service' }])
    expect((await fetch(new URL('/api/v2/world', system.gateway), { method: 'OPTIONS' })).status).toBe(204)
    expect(await gauge('in_use')).toBe(1)
  })
})
