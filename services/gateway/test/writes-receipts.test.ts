import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem({ env: { element: { RECEIPT_LIFE_MS: '1500' } } })
  own = await newOwner(system)
})
afterAll(() => system.stop())

describe('a stored reply', () => {
  it('[ID-003] is replayed for as long as it is kept, then the request runs again', async () => {
    const create = () => own.post('/api/v2/character', { name: 'Ann' }, { 'Idempotency-Key': 'one' })
    const first = await create()
    const replays: string[] = []
    let last = first
    await until(async () => {
      last = await create()
      if (last.headers.get('idempotent-replay') === 'true') replays.push(last.text)
      return last.body.id !== first.body.id
    })
    expect(replays.length).toBeGreaterThan(0)
    expect(new Set(replays)).toEqual(new Set([first.text]))
    expect([last.status, last.headers.get('idempotent-replay')]).toEqual([201, null])
    expect(Date.parse(last.body.created_at) - Date.parse(first.body.created_at)).toBeGreaterThanOrEqual(1400)
    expect(await own.head()).toBe(2)
  })

  it('[ID-003] frees its key for another body once it is gone', async () => {
    const create = (name: string) => own.post('/api/v2/character', { name }, { 'Idempotency-Key': 'two' })
    expect((await create('Ann')).status).toBe(201)
    expect((await create('Bob')).body.error.code).toBe('idempotency_error')
    await until(async () => (await create('Bob')).status === 201)
    expect((await create('Bob')).headers.get('idempotent-replay')).toBe('true')
  })
})
