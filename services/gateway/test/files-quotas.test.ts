import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addFile, askTicket, fileTicket, send, untilListed, worldFiles } from './files-support'
import { newParty } from './permission-parties'
import { type Body, expectRefusal, newOwner, type Owner } from './support'

const day = 86_400

async function start(file: Record<string, string>): Promise<System> {
  return startSystem({ files: true, env: { file } })
}

async function newPlace(system: System): Promise<{ own: Owner; id: string }> {
  const own = await newOwner(system)
  return { own, id: (await own.make('location')).id }
}

describe('hostile 69: the tickets of a day', () => {
  let system: System
  beforeAll(async () => {
    system = await start({ FILE_TICKETS: '3' })
  })
  afterAll(() => system.stop())

  it('[FL-019][FL-077] count when they are granted, used or not, whoever asks, for all of the world', async () => {
    const { own, id } = await newPlace(system)
    const contributor = await newParty(system, own, 'contributor')
    for (const [by, body] of [
      [own, { kind: 'exe' }],
      [own, { size: 26_214_401 }],
      [contributor, {}],
    ] as const) {
      expect((await askTicket(by, 'location', id, body)).status).toBeGreaterThanOrEqual(400)
    }
    const began = Date.now()
    await addFile(own, 'location', id)
    const mine = (await contributor.post('/api/v2/location', { name: 'Mine' })).body.id
    await fileTicket(contributor, 'location', mine)
    await fileTicket(own, 'location', mine)
    for (const [by, at] of [
      [own, id],
      [contributor, mine],
    ] as const) {
      const reply = await askTicket(by, 'location', at)
      expectRefusal(reply, 429, 'quota_exceeded', null)
      const wait = Number(reply.headers.get('retry-after'))
      expect(Number.isInteger(wait)).toBe(true)
      expect(wait).toBeLessThanOrEqual(day)
      expect(wait).toBeGreaterThanOrEqual(day - Math.ceil((Date.now() - began) / 1000))
    }
  })

  it('[FL-077] are another world’s no less for it, and images have a count of their own', async () => {
    const { own, id } = await newPlace(system)
    for (let n = 0; n < 3; n += 1) await fileTicket(own, 'location', id)
    expectRefusal(await askTicket(own, 'location', id), 429, 'quota_exceeded', null)
    const other = await newPlace(system)
    await fileTicket(other.own, 'location', other.id)
    expect((await own.post('/api/v2/media/ticket')).status).toBe(201)
  })

  it('[FL-019] are not given back by removing what came of them', async () => {
    const { own, id } = await newPlace(system)
    for (let n = 0; n < 3; n += 1) {
      const { id: file } = await addFile(own, 'location', id)
      expect((await own.delete(`/api/v2/location/${id}/files/${file}`)).status).toBe(204)
    }
    expectRefusal(await askTicket(own, 'location', id), 429, 'quota_exceeded', null)
  })

  it('[FL-077][FL-078] are looked at last of all', async () => {
    const { own, id } = await newPlace(system)
    const contributor = await newParty(system, own, 'contributor')
    for (let n = 0; n < 3; n += 1) await fileTicket(own, 'location', id)
    expectRefusal(await askTicket(own, 'location', id), 429, 'quota_exceeded', null)
    expectRefusal(await askTicket(own, 'location', id, { size: 26_214_401 }), 413, 'file_too_large')
    expectRefusal(await askTicket(own, 'location', id, { size: 0 }), 422, 'invalid_request', 'size')
    expectRefusal(await askTicket(own, 'event', id), 404, 'not_found', null)
    expect((await askTicket(contributor, 'location', id)).body.error.code).toBe('not_author')
  })
})

it('[FL-077] a quota’s Retry-After is true: then the oldest ticket counts no longer, and one more is granted', async () => {
  const system = await start({ FILE_TICKETS: '2', FILE_TICKETS_WINDOW_MS: '4000' })
  try {
    const { own, id } = await newPlace(system)
    const began = Date.now()
    await fileTicket(own, 'location', id)
    const first = Date.now()
    await until(() => Date.now() - first > 1_500)
    await fileTicket(own, 'location', id)
    const reply = await askTicket(own, 'location', id)
    const refused = Date.now()
    expectRefusal(reply, 429, 'quota_exceeded', null)
    const wait = Number(reply.headers.get('retry-after'))
    expect(wait * 1000).toBeGreaterThanOrEqual(began + 4_000 - refused)
    expect(wait).toBeLessThanOrEqual(Math.ceil((first + 4_000 - refused) / 1000) + 1)
    await until(() => Date.now() - refused >= wait * 1000)
    await fileTicket(own, 'location', id)
    expectRefusal(await askTicket(own, 'location', id), 429, 'quota_exceeded', null)
  } finally {
    await system.stop()
  }
})

it('[FL-019][FL-077] a world has 200 tickets in 24 hours, and not one more', async () => {
  const system = await start({})
  try {
    const { own, id } = await newPlace(system)
    const statuses: number[] = []
    for (let n = 0; n < 10; n += 1) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => askTicket(own, 'location', id)))
      statuses.push(...replies.map(({ status }) => status))
    }
    expect(statuses).toEqual(Array.from({ length: 200 }, () => 201))
    const reply = await askTicket(own, 'location', id)
    expectRefusal(reply, 429, 'quota_exceeded', null)
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
  } finally {
    await system.stop()
  }
})

describe('the 250 MB of a world', () => {
  const large = Buffer.alloc(26_214_400, 'a')
  let system: System
  let own: Owner
  let id: string
  let last: Body
  beforeAll(async () => {
    system = await start({ FILE_TICKETS: '14' })
    const place = await newPlace(system)
    own = place.own
    id = place.id
    const contributor = await newParty(system, own, 'contributor')
    const mine = (await contributor.post('/api/v2/location', { name: 'Mine' })).body.id
    for (let n = 0; n < 4; n += 1) await addFile(own, 'location', id, {}, large)
    for (let n = 0; n < 5; n += 1) await addFile(contributor, 'location', mine, {}, large)
    last = await fileTicket(own, 'location', id, { size: large.length })
  }, 120_000)
  afterAll(() => system.stop())

  it('[FL-023][FL-038][FL-059][FL-079][FL-080] are of all files whoever added them, and shrink max_bytes', async () => {
    expect(await worldFiles(own)).toMatchObject({ used_bytes: 235_929_600, cap_bytes: 262_144_000 })
    expect(last.max_bytes).toBe(26_214_400)
    await addFile(own, 'location', id, {}, 'x'.repeat(100))
    const { max_bytes, ticket, upload_url } = await fileTicket(own, 'location', id, { size: 26_214_300 })
    expect(max_bytes).toBe(26_214_300)
    const over = await send({ ticket, upload_url }, large.subarray(0, 26_214_301))
    expect([over.status, over.body]).toEqual([413, { error: 'too_large' }])
    expectRefusal(await askTicket(own, 'location', id, { size: 26_214_301 }), 403, 'files_full')
    expectRefusal(await askTicket(own, 'location', id, { size: 26_214_401 }), 413, 'file_too_large')
  })

  it('[FL-021][FL-079][UP-034] hold what tickets promise: what no longer fits is refused, and fits when room is made', async () => {
    const over = await send(last as never, large)
    expect([over.status, over.body]).toEqual([413, { error: 'too_large' }])
    const fits = await fileTicket(own, 'location', id, { size: 1 })
    expect((await send(fits as never, large.subarray(0, 26_214_300))).status).toBe(201)
    await untilListed(own, 'location', id, fits.file_id)
    expect((await worldFiles(own)).used_bytes).toBe(262_144_000)
    const byte = await send(last as never, 'x')
    expect([byte.status, byte.body]).toEqual([413, { error: 'too_large' }])
    // Thirteen tickets were granted: what is refused for want of room takes none of the fourteen.
    for (let n = 0; n < 3; n += 1) {
      const reply = await askTicket(own, 'location', id, { size: 1 })
      expectRefusal(reply, 403, 'files_full')
      expect(reply.headers.has('retry-after')).toBe(false)
    }
    expect((await own.delete(`/api/v2/location/${id}/files/${fits.file_id}`)).status).toBe(204)
    expect((await worldFiles(own)).used_bytes).toBe(235_929_700)
    expect((await send(last as never, 'x')).status).toBe(201)
    await untilListed(own, 'location', id, last.file_id)
    expect((await fileTicket(own, 'location', id, { size: 26_214_299 })).max_bytes).toBe(26_214_299)
    expectRefusal(await askTicket(own, 'location', id, { size: 26_214_300 }), 403, 'files_full')
    expectRefusal(await askTicket(own, 'location', id, { size: 1 }), 429, 'quota_exceeded', null)
  })
})
