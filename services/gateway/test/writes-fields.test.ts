import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectNothingWritten, newOwner, type Owner, writes } from './support'

let system: System
let own: Owner
let id: string

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  id = (await own.make('character', { name: 'Ann' })).id
})
afterAll(() => system.stop())

describe.each(writes)('%s', (_method, write) => {
  const send = (body: Body) => write(own, 'character', id, { name: 'Ann', ...body })

  it.each([
    ['WR-001', 'type', 'character'],
    ['WR-006', 'created_at', '2026-07-18T11:09:57.922094+00:00'],
    ['WR-007', 'updated_at', null],
    ['WR-008', 'change_seq', 1],
    ['WR-030', 'freinds', []],
    ['WR-030', 'hidden', true],
    ['WR-030', 'STRENGTH', 1],
    ['WR-030', 'str', 1],
    ['WR-030', 'characters', []],
    ['WR-031', 'location_id', null],
    ['WR-031', 'parent_id', randomUUID()],
    ['WR-032', 'friends_ids', []],
    ['WR-032', 'location_ids', []],
    ['WR-033', 'y_a', 1],
    ['WR-033', 'X_a', 1],
    ['WR-033', 'xa', 1],
    ['WR-033', '_x_a', 1],
    ['WR-033', 'tools_a', 1],
    ['WR-033', '__proto__', 1],
  ])('[%s] refuses the field %s and writes nothing', async (_id, field, value) => {
    const body = JSON.stringify({ name: 'Ann' }).replace('}', `,${JSON.stringify(field)}:${JSON.stringify(value)}}`)
    await expectNothingWritten(own, () => write(own, 'character', id, body), 422, 'invalid_request', field)
  })

  it.each([
    ['WR-002', 'name', 256],
    ['WR-003', 'supertype', 129],
    ['WR-004', 'subtype', 129],
    ['WR-005', 'image_url', 1025],
  ])('[%s] refuses a %s of %i characters', async (_id, field, length) => {
    await expectNothingWritten(own, () => send({ [field]: 'x'.repeat(length) }), 422, 'invalid_request', field)
  })

  it('[WR-009] ignores created_by', async () => {
    for (const created_by of [randomUUID(), 'abc', null, 7]) {
      const { status, body } = await send({ created_by })
      expect([status < 300, body.created_by]).toEqual([true, null])
    }
  })

  it('[WR-010] ignores world', async () => {
    const other = await newOwner(system)
    for (const world of [other.world, 'abc', null, { id: other.world }]) {
      const { status, body } = await send({ world })
      expect(status).toBeLessThan(300)
      expect(body).not.toHaveProperty('world')
      expect((await own.read('character', body.id)).id).toBe(body.id)
    }
    expect(await other.head()).toBe(0)
  })

  it('[WR-030] names the first fault in the order of the body', async () => {
    const body = '{"name":"Ann","zzz":1,"type":"character","level":"abc"}'
    await expectNothingWritten(own, () => write(own, 'character', id, body), 422, 'invalid_request', 'zzz')
  })
})

describe('text', () => {
  it.each([
    ['42', 42, '42'],
    ['a negative number', -1.5, '-1.5'],
    ['zero', 0, '0'],
    ['null', null, ''],
  ])('[WR-040] %s becomes text', async (_what, sent, stored) => {
    const { status, body } = await own.patch(`/api/v2/character/${id}`, { description: sent, background: sent })
    expect([status, body.description, body.background]).toEqual([200, stored, stored])
  })

  it('[WR-040] a large number keeps its digits without an exponent', async () => {
    const { body } = await own.patch(`/api/v2/character/${id}`, { description: 1e21 })
    expect(body.description).toBe('1000000000000000000000')
  })

  it.each([true, false, {}, [], ['a']])('[WR-039] %j is no text', async (sent) => {
    for (const field of ['description', 'background', 'name']) {
      const write = () => own.patch(`/api/v2/character/${id}`, { [field]: sent })
      await expectNothingWritten(own, write, 422, 'invalid_request', field)
    }
  })

  it('[WR-002] the digits of a number count against the limit too', async () => {
    const write = () => own.patch(`/api/v2/character/${id}`, `{"supertype":1e${200}}`)
    await expectNothingWritten(own, write, 422, 'invalid_request', 'supertype')
  })
})

describe('integers', () => {
  it.each([
    ['WR-036', '7', 7],
    ['WR-036', ' 7 ', 7],
    ['WR-036', '-7', -7],
    ['WR-037', 7.9, 7],
    ['WR-037', -7.9, -7],
    ['WR-038', true, 1],
    ['WR-038', false, 0],
    ['WR-024', null, null],
    ['WR-036', 0, 0],
    ['WR-036', 9999, 9999],
    ['WR-036', 2147483647, 2147483647],
    ['WR-036', -2147483648, -2147483648],
  ])('[%s] %j is read as an integer', async (_id, sent, stored) => {
    await own.patch(`/api/v2/character/${id}`, { level: 3, charisma: 3 })
    const { status, body } = await own.patch(`/api/v2/character/${id}`, { level: sent, charisma: sent })
    expect([status, body.level, body.charisma]).toEqual([200, stored, stored])
    expect(await own.read('character', id)).toMatchObject({ level: stored, charisma: stored })
  })

  it.each(['abc', '7.9', '', ' ', '0x7', '1e3', {}, [], [7], 2147483648, -2147483649, 1e300, '2147483648'])(
    '[WR-039] %j is no integer',
    async (sent) => {
      const write = () => own.patch(`/api/v2/character/${id}`, { name: 'Bob', level: sent })
      await expectNothingWritten(own, write, 422, 'invalid_request', 'level')
    },
  )

  it.each(writes)('[WR-036] %s coerces alike', async (_method, write) => {
    const { status, body } = await write(own, 'character', id, { name: 7, level: '7', STR: 7.9, DEX: true })
    expect(status).toBeLessThan(300)
    expect(body).toMatchObject({ name: '7', level: 7, STR: 7, DEX: 1 })
  })
})
