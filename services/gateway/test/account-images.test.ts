/** What membership tells of deleted accounts, as the file service hears it. */
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type Account, createAccount } from '@worlds/testkit/world'
import pg from 'pg'
import { type WaitingJobs, waitingJobs } from './queue-support'
import { expectBody } from './support'
import { redisProxy } from './tcp-proxy'

const proxy = redisProxy()
let system: System
let database: pg.Client
let queue: WaitingJobs

beforeAll(async () => {
  await proxy.join()
  const REDIS_URL = `redis://127.0.0.1:${proxy.port}`
  system = await startSystem({ env: { membership: { REDIS_URL, OUTBOX_EVERY_MS: '200', OUTBOX_LEASE_MS: '400' } } })
  queue = waitingJobs(system, 'account-deleted')
  database = new pg.Client({ connectionString: system.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await queue.close()
  await database.end()
  await system.stop()
  await proxy.cut()
})

const waiting = async () => (await database.query('select o.id, o.kind from membership.outbox o')).rows
const remove = async ({ token }: Account) =>
  expectBody(await api(system.gateway, { Authorization: `Bearer ${token}` }).delete('/api/v2/account'), 204)
const jobOf = async ({ account }: Account) =>
  (await queue.all()).filter(({ data }) => data.accountId === account.id).map(({ name, data }) => ({ name, data }))
const expected = ({ account }: Account) => [{ name: 'account', data: { kind: 'account', accountId: account.id } }]

it('[AC-021] a deleted account is told, so that its images go', async () => {
  const gone = await createAccount(system)
  await remove(gone)
  await until(async () => (await waiting()).length === 0)
  expect(await jobOf(gone)).toEqual(expected(gone))
})

it('[AC-021] an account is deleted while Redis is away, and told when it is back', async () => {
  const gone = await createAccount(system)
  await proxy.cut()
  await remove(gone)
  expect(await waiting()).toEqual([{ id: expect.any(String), kind: 'forget-images' }])
  expect(await jobOf(gone)).toEqual([])
  await proxy.join()
  await until(async () => (await waiting()).length === 0)
  expect(await jobOf(gone)).toEqual(expected(gone))
})
