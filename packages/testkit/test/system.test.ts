import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { newWorld } from '@worlds/testkit/world'

let system: System

beforeAll(async () => {
  system = await startSystem({ elements: 2, gateways: 2 })
})

afterAll(() => system?.stop())

it('runs the whole system, and a world made in one gateway is read in the other', async () => {
  const world = await newWorld(system, 'Both')
  const [first, second] = system.gateways.map((url) => api(url, world.headers))
  const made = await first?.post('/api/v2/character', { name: 'Someone' })
  expect(made?.status).toBe(201)
  const read = await second?.get(`/api/v2/character/${made?.body.id}`)
  expect(read?.body).toEqual(made?.body)
})

it('ends a process and starts it again where it was', async () => {
  const world = await newWorld(system)
  const before = system.processes.pid('element')
  await system.processes.kill('element')
  await system.processes.restart('element')
  expect(system.processes.pid('element')).not.toBe(before)
  expect((await fetch(`${system.processes.metrics('element')}/readyz`)).status).toBe(200)
  expect((await api(system.gateway, world.headers).get('/api/v2/world')).body.name).toBe('World')
})

it('says why when a service does not come up', async () => {
  const failing = startSystem({ env: { gateway: { PORT: 'nonsense' } } })
  await expect(failing).rejects.toThrow('PORT is not a whole number')
})
