import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectRefused, newShared } from './members-support'
import { expectBody } from './support'

describe('unknown join codes', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({ env: { gateway: { UNKNOWN_CREDENTIALS_PER_MINUTE: '6' } } })
  })
  afterAll(() => system.stop())

  it('[AG-008] count against the address they come from, with unknown keys, and nothing else does', async () => {
    const open = api(system.gateway)
    const shared = await newShared(system)
    const link = async () => expectBody(await shared.bearer.post(`${shared.path}/links`, { reader: 'agent' }), 201).code
    const codes = [await link(), await link()]
    for (let turn = 0; turn < 10; turn += 1) {
      expectBody(await open.post('/api/v2/join/preview', { code: codes[0] }), 200)
      expectRefused(await open.post('/api/v2/join', {}), 'invalid_request', 'code')
    }
    for (let turn = 0; turn < 2; turn += 1) {
      expectRefused(await open.post('/api/v2/join', { code: 'x', agent_name: 'y' }), 'not_found')
      expectRefused(await open.post('/api/v2/join/preview', { code: 'x' }), 'not_found')
      expectRefused(await open.get('/api/v2/me', { 'API-Key': 'ow_w_unknown' }), 'invalid_credentials')
    }
    const refused = await open.post('/api/v2/join/preview', { code: 'x' })
    expectRefused(refused, 'too_many_requests')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expectRefused(await open.get('/api/v2/me', { 'API-Key': 'ow_w_unknown' }), 'too_many_requests')
    expectBody(await open.post('/api/v2/join', { code: codes[1], agent_name: 'Scribe' }), 201)
  })
})
