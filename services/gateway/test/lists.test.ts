import { api } from '@worlds/testkit/api'
import { startSystem, type System } from '@worlds/testkit/system'
import { newWorld } from '@worlds/testkit/world'

let system: System
beforeAll(async () => { system = await startSystem() })
afterAll(() => system.stop())

it('works', async () => {
  const w = await newWorld(system)
  const own = api(system.gateway, w.headers)
  const r = await own.post('/api/v2/character', { name: 'Ann', x_a: 1 })
  console.log(r.status, r.text, Object.fromEntries(r.headers))
  const l = await own.get('/api/v2/changes'); console.log(l.text)
  const d = await own.get('/api/v2/characters'); console.log(d.text)
})
