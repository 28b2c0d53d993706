import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { newWorld } from '@worlds/testkit/world'

describe('a commit whose answer comes late and is lost, while another process writes', () => {
  const dir = mkdtempSync(join(tmpdir(), 'lost-answers-'))
  const waits = join(dir, 'waits')
  const loses = join(dir, 'loses')
  let system: System
  beforeAll(async () => {
    const FAILPOINTS = `commit.after=wait:1500@${waits},commit.lost=error@${loses}`
    system = await startSystem({ elements: 2, gateways: 2, pinGateways: true, env: { element: { FAILPOINTS } } })
  })
  afterAll(async () => {
    await system.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  /** The first process commits and hears nothing while the second makes `count` commits. */
  async function meanwhile<T>(
    slow: (door: Api) => Promise<T>,
    count: number,
    quick: (door: Api, n: number) => Promise<unknown>,
    headers: object,
  ) {
    const [one, other] = system.gateways.map((gateway) => api(gateway, { ...headers })) as [Api, Api]
    writeFileSync(waits, '')
    const reply = slow(one)
    await until(() => !existsSync(waits))
    for (let n = 0; n < count; n += 1) await quick(other, n)
    writeFileSync(loses, '')
    return { reply: await reply, other }
  }

  it.each([
    { count: 5, status: 200 },
    { count: 40, status: 503 },
  ])('is never applied twice, after $count commits of others', async ({ count, status }) => {
    const { headers } = await newWorld(system)
    const { id } = (await api(system.gateway, { ...headers }).post('/api/v2/character', { name: 'one' })).body
    const { reply, other } = await meanwhile(
      (door) => door.patch(`/api/v2/character/${id}`, { description: 'slow' }),
      count,
      (door, n) => door.patch(`/api/v2/character/${id}`, { description: `quick ${n}` }),
      headers,
    )
    expect(reply.status).toBe(status)
    const { body } = await other.get(`/api/v2/character/${id}`)
    expect(body.description).toBe(`quick ${count - 1}`)
    expect(body.change_seq).toBe(count + 2)
  })

  it('[ID-018] with a key is replayed even when its commit can no longer be looked up', async () => {
    const { headers } = await newWorld(system)
    const { reply, other } = await meanwhile(
      (door) => door.post('/api/v2/character', { name: 'slow' }, { 'Idempotency-Key': 'slow' }),
      40,
      (door, n) => door.post('/api/v2/location', { name: `${n}` }),
      headers,
    )
    expect(reply.status).toBe(201)
    expect(reply.headers.get('idempotent-replay')).toBe('true')
    expect((await other.get('/api/v2/character')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      reply.body.id,
    ])
  })
})
