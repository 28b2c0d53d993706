/** What the operator is told of rows and objects that do not fit each other, and what is mended. */

import type { ReconcileReply__Output as ReconcileReply } from '@worlds/proto/generated/worlds/file/v1/ReconcileReply'
import { fileV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type Books, gateway, openBooks, soon } from './faults-files-support'
import { addFile, addImage, fileTicket, imageTicket, keysIn, png, send, worldFiles } from './files-support'
import { pausedQueue } from './queue-support'
import { type Body, newOwner, type Owner } from './support'

describe('the reconciliation', () => {
  let system: System
  let books: Books
  beforeAll(async () => {
    system = await startSystem({ files: true, env: { gateway, file: { ...soon, FILE_TICKETS: '1000' } } })
    books = await openBooks(system)
  })
  afterAll(async () => {
    await books?.close()
    await system.stop()
  })

  it('tells rows without bytes and bytes without rows, mends both, and leaves what is on its way', async () => {
    const own = await newOwner(system)
    const place = (await own.make('location')).id
    const files = await filesOf(own, place, 3)
    const images = [await addImage(own), await addImage(own, png(70), { 'X-Key': `u/${own.world}/a.png` })] as const
    await books.imagesSettled(own, [images[0].key, images[1].key], 134)
    const reports = pausedQueue(system, 'file-stored')
    await reports.pause()
    const pending = await fileTicket(own, 'location', place)
    const pictures = [await imageTicket(own), await imageTicket(own)] as const
    expect((await send(pending, 'hello')).status).toBe(201)
    expect((await send(pictures[0], png(71))).status).toBe(201)
    const named = { 'X-Key': `u/${own.world}/pending.png` }
    expect((await send(pictures[1], png(72), named)).status).toBe(201)
    expect(await reconcile(false)).toMatchObject({ rows: 5, objects: 8, missing: 0, stray: 0, repaired: 0 })

    const lost = [`w/${own.world}/${place}/${files[0]}.txt`, images[1].key]
    const found = [`w/${own.world}/${place}/${own.world}.txt`, 'w/nonsense', `u/${own.world}/b/c.png`, 'u/x/y.png']
    for (const key of lost) await books.bucket.remove(key)
    for (const key of found) await books.bucket.mark(key, {})
    const told = await reconcile(false)
    expect(told).toMatchObject({ rows: 5, objects: 10, missing: 2, stray: 4, repaired: 0 })
    const lines = [...lost.map((key) => `missing ${key}`), ...found.map((key) => `stray ${key}`)]
    expect(told.examples.toSorted()).toEqual(lines.sort())
    expect(await reconcile(true)).toMatchObject({ missing: 2, stray: 4, repaired: 6 })
    expect(await reconcile(false)).toMatchObject({ rows: 3, objects: 6, missing: 0, stray: 0, repaired: 0 })

    await reports.resume()
    await books.settled(own, [files[1] as string, files[2] as string, pending.file_id], 15)
    await until(async () => (await books.imageSides(own)).rows.length === 3)
    expect(await books.imageSides(own)).toMatchObject({ used: 207, counted: 207, room: 207 })
    expect(await keysIn(books.bucket, 'w/nonsense')).toEqual([])
    await reports.close()
  })

  it('finds what a lost deletion has left: files of elements that are gone, were made again, or went with their world', async () => {
    const [own, other] = await Promise.all([newOwner(system), newOwner(system)])
    const [gone, again, kept] = await own.seed('location', [{ name: 'Gone' }, { name: 'Again' }, { name: 'Kept' }])
    for (const id of [gone, gone, again, kept]) await addFile(own, 'location', id as string)
    await addFile(other, 'location', (await other.make('location')).id)
    const deletions = pausedQueue(system, 'element-deleted')
    await deletions.pause()
    for (const id of [gone, again]) await own.delete(`/api/v2/location/${id}`)
    await own.put(`/api/v2/location/${again}`, { name: 'Again' })
    const fresh = await addFile(own, 'location', again as string)
    const account = api(system.gateway, { Authorization: `Bearer ${other.token}` })
    expect((await account.delete(`/api/v2/account/worlds/${other.world}`)).status).toBe(204)
    await until(async () => (await deletions.waiting()) === 3)
    await deletions.forget()
    await deletions.resume()

    expect(await reconcile(false)).toMatchObject({ orphaned: 4, repaired: 0 })
    expect(await reconcile(true)).toMatchObject({ orphaned: 4, repaired: 4 })
    expect(await reconcile(false)).toMatchObject({ orphaned: 0, missing: 0, stray: 0 })
    const { data, used_bytes } = await worldFiles(own)
    expect(data.map(({ element_id }: Body) => element_id)).toEqual([again, kept])
    expect([data[0].id, used_bytes]).toEqual([fresh.id, 10])
    expect(await keysIn(books.bucket, `w/${other.world}/`)).toEqual([])
    await deletions.close()
  })

  it('is not needed where one commit deletes what it has made twice under one id', async () => {
    const own = await newOwner(system)
    const [one, other] = await own.seed('location', [{ name: 'One' }, { name: 'Other' }])
    for (const id of [one, other]) await addFile(own, 'location', id as string)
    const deletions = pausedQueue(system, 'element-deleted')
    const elements = [one, one, other].map((id, index) => ({ id, place: 100 + index }))
    await deletions.add({ kind: 'elements', worldId: own.world, elements })
    await until(async () => (await worldFiles(own)).used_bytes === 0)
    await deletions.close()
  })

  it('goes through more than a page of each', async () => {
    const own = await newOwner(system)
    const place = (await own.make('location')).id
    const before = await reconcile(false)
    const files = await filesOf(own, place, 210)
    for (const id of files.slice(0, 5)) await books.bucket.remove(`w/${own.world}/${place}/${id}.txt`)
    for (let n = 0; n < 5; n += 1) await books.bucket.mark(`w/${own.world}/${place}/stray${n}.txt`, {})
    const told = await reconcile(true)
    expect([told.rows - before.rows, told.objects - before.objects]).toEqual([210, 210])
    expect(told).toMatchObject({ missing: 5, stray: 5, repaired: 10 })
    await books.settled(own, files.slice(5), 205 * 5)
  })

  async function filesOf(own: Owner, place: string, count: number): Promise<string[]> {
    const ids: string[] = []
    while (ids.length < count) {
      const some = Array.from({ length: Math.min(30, count - ids.length) }, () => addFile(own, 'location', place))
      ids.push(...(await Promise.all(some)).map(({ id }: Body) => id))
    }
    return ids
  }

  /** As the operator's command does, with any number of missing rows accepted. */
  async function reconcile(repair: boolean): Promise<Omit<ReconcileReply, 'cursor' | 'stopped'>> {
    const peer = new RpcPeer([system.fileAddress], system.serviceToken)
    const client = new RpcClient(fileV1.Operator, peer)
    const settings = { deadlineMs: 10_000, affinity: '', repeatable: true }
    const sum = { rows: 0, objects: 0, orphaned: 0, missing: 0, stray: 0, repaired: 0 }
    const examples: string[] = []
    try {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: ReconcileReply = await client.unary('Reconcile', { cursor, repair, missing_limit: 1_000 }, settings)
        expect(page.stopped).toBe('')
        for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += page[name]
        examples.push(...page.examples)
        cursor = page.cursor === '' ? null : page.cursor
      }
    } finally {
      peer.close()
    }
    return { ...sum, examples }
  }
})
