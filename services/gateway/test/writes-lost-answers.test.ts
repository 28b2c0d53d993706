import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiReply } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, errorOf, expectBody, newOwner, type Owner, until } from './support'

/** While this file exists the next commit is the element service's last act. */
const dieAfterCommit = join(tmpdir(), `worlds-test-${randomUUID()}`)

let system: System
let own: Owner
let key: string

beforeAll(async () => {
  system = await startSystem({ env: { element: { FAILPOINTS: `commit.after=exit@${dieAfterCommit}` } } })
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
