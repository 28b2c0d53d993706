import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RedisCluster, startRedisCluster } from '@worlds/testkit/redis-cluster'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { Redis } from 'ioredis'
import { addFile, addImage, fileTicket, imageTicket, png, send, untilReported, worldFiles } from './files-support'
import { expectRefusal, newOwner } from './support'

/** The same system over a cluster of three servers: every script's keys are in one slot, every queue's too. */
describe('over a Redis Cluster', () => {
  let dir: string
  let cluster: RedisCluster
  let system: System
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'worlds-cluster-'))
    cluster = await startRedisCluster(dir, () => undefined)
    const env = { gateway: { PIN_TRIES: '2', REQUEST_BUDGET: '100' }, file: { FILE_TICKETS: '3' } }
    system = await startSystem({ files: true, redisUrl: cluster.url, env })
  })
  afterAll(async () => {
    await system.stop()
    await cluster.stop()
    await rm(dir, { recursive: true, force: true })
  })

  it('replays keyed writes, locks PINs and spends budgets', async () => {
    const own = await newOwner(system)
    const once = { 'Idempotency-Key': 'once' }
    const made = await Promise.all([1, 2, 3].map(() => own.post('/api/v2/character', { name: 'Once' }, once)))
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
    expect(Number(made[0]?.headers.get('ratelimit-remaining'))).toBeLessThan(100)
    for (const _try of [1, 2]) await own.post('/api/v2/character', { name: 'x' }, { 'API-Pin': '9999' })
    expectRefusal(await own.post('/api/v2/character', { name: 'x' }), 429, 'rate_limited')
  })

  it('takes files and images, counts tickets, and removes what goes with an element', async () => {
    const worlds = await Promise.all([newOwner(system), newOwner(system), newOwner(system)])
    for (const own of worlds) {
      const { id } = await own.make('character')
      await addFile(own, 'character', id)
      const ticket = await fileTicket(own, 'character', id)
      const sent = await Promise.all(Array.from({ length: 8 }, () => send(ticket, 'hello')))
      expect(sent.filter(({ status }) => status === 201)).toHaveLength(1)
      await fileTicket(own, 'character', id)
      const fourth = await own.post(`/api/v2/character/${id}/files`, { name: 'a.txt', kind: 'txt', size: 1 })
      expectRefusal(fourth, 429, 'quota_exceeded')
      await until(async () => (await worldFiles(own)).used_bytes === 10)
      await own.delete(`/api/v2/character/${id}`)
      await until(async () => (await worldFiles(own)).used_bytes === 0)
      await untilReported(own, (await addImage(own)).key)
    }
  })

  it('takes the files and images of many worlds at once', async () => {
    const worlds = await Promise.all(Array.from({ length: 12 }, () => newOwner(system)))
    const places = await Promise.all(worlds.map(async (own) => (await own.make('character')).id))
    const files = await Promise.all(worlds.map((own, n) => fileTicket(own, 'character', String(places[n]))))
    const images = await Promise.all(worlds.map((own) => imageTicket(own)))
    const sent = [...files.map((ticket) => send(ticket, 'hello')), ...images.map((ticket) => send(ticket, png()))]
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(24).fill(201))
    for (const own of worlds) await until(async () => (await worldFiles(own)).used_bytes === 5)
  })

  it('has keys on every server', async () => {
    for (const url of cluster.urls) {
      const one = new Redis(url)
      expect(await one.dbsize()).toBeGreaterThan(0)
      one.disconnect()
    }
  })
})
