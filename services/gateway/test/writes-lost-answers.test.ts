import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiReply } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type Body, errorOf, expectBody, expectRefusal, newOwner, type Owner } from './support'

/** While this file exists the next commit is the element service's last act. */
const dieAfterCommit = join(tmpdir(), `worlds-test-${randomUUID()}`)
/** While this file exists the next commit is held up. */
const holdCommit = join(tmpdir(), `worlds-test-${randomUUID()}`)
const failpoints = `commit.after=exit@${dieAfterCommit},commit.before=wait:1500@${holdCommit}`

let system: System
let own: Owner
let key: string

beforeAll(async () => {
  system = await startSystem({ env: { element: { FAILPOINTS: failpoints } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  key = randomUUID()
})

const keyed = (value = key) => ({ 'Idempotency-Key': value })
const create = (body: Body, value = key) => own.post('/api/v2/character', body, keyed(value))
const bulk = (body: Body, value = key) => own.post('/api/v2/bulk', body, keyed(value))
const replay = ({ headers }: ApiReply) => headers.get('idempotent-replay')
const item = (element: Body) => ({ type: 'character', element })

describe('a request that still runs', () => {
  it('[ID-004][ID-007] is waited for by the same request, and refuses another at once', async () => {
    await own.head()
    writeFileSync(holdCommit, '')
    const order: string[] = []
    const noted = (name: string, reply: Promise<ApiReply>) => reply.finally(() => order.push(name))
    const first = noted('first', create({ name: 'Ann' }))
    await until(() => !existsSync(holdCommit))
    const same = noted('same', create({ name: 'Ann' }))
    const other = await noted('other', create({ name: 'Bob' }))
    expectRefusal(other, 409, 'idempotency_error')
    const replies = await Promise.all([first, same])
    expect(order[0]).toBe('other')
    expect(replies.map((reply) => [reply.status, replay(reply)])).toEqual([
      [201, null],
      [201, 'true'],
    ])
    expect(replies[1].text).toBe(replies[0].text)
    expect(await own.head()).toBe(1)
  })
})

describe('an answer that was lost', () => {
  it.each([
    ['create', () => create({ name: 'Ann' }), 201],
    ['bulk', () => bulk({ items: [item({ name: 'Ann' })] }), 200],
  ])('[ID-018] because the process died after the commit of a %s is replayed', async (_what, write, status) => {
    await own.head()
    writeFileSync(dieAfterCommit, '')
    const lost = write()
    await until(() => system.processes.exitCode('element') !== null || !existsSync(dieAfterCommit))
    await system.processes.restart('element')
    const first = await lost
    await until(async () => (await write()).status < 500)
    const second = await write()
    expect([second.status, replay(second)]).toEqual([status, 'true'])
    expect(await own.head()).toBe(1)
    if (first.status < 500) expect(first.text).toBe(second.text)
    else expect(first.body).toEqual({ error: { ...errorOf(first.body.error.code), type: 'api_error' } })
    const { data } = expectBody(await own.get('/api/v2/character'), 200)
    expect(data.map(({ name }: Body) => name)).toEqual(['Ann'])
  })

  it('[ID-018] because the client hung up after the commit is replayed', async () => {
    const gone = new AbortController()
    const request = fetch(new URL('/api/v2/character', system.gateway), {
      method: 'POST',
      headers: { ...own.headers, ...keyed() },
      body: JSON.stringify({ name: 'Ann' }),
      signal: gone.signal,
    })
    await until(async () => (await own.head()) === 1)
    gone.abort()
    await request.then((reply) => reply.text()).catch(() => {})
    const second = await create({ name: 'Ann' })
    expect([second.status, replay(second), await own.head()]).toEqual([201, 'true', 1])
  })
})
