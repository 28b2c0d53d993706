import { addMember } from '@worlds/testkit/members'
import { runOps } from '@worlds/testkit/ops'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { type Books, openBooks, soon } from './faults-files-support'
import { addFile, keysIn, worldFiles } from './files-support'
import { type Body, expectBody, newOwner, type Owner } from './support'

const services = ['gateway', 'upload-host', 'file', 'membership', 'change-feed', 'element']

/** A backup, a day's work, and the restore as docs/operations.md tells it; the object store is not restored with it. */
describe('a restore from a backup', () => {
  let system: System
  let server: pg.Client
  let books: Books
  let own: Owner
  let other: Owner
  let name: string

  beforeAll(async () => {
    system = await startSystem({ files: true, env: { file: soon, gateway: { REQUEST_BUDGET: '100000' } } })
    name = new URL(system.databaseUrl).pathname.slice(1)
    server = new pg.Client({ connectionString: system.databaseUrl.replace(name, 'postgres') })
    await server.connect()
    own = await newOwner(system)
    other = await newOwner(system)
  })
  afterAll(async () => {
    await books?.close()
    await server.query(`drop database if exists ${name}_backup`)
    await server.end()
    await system.stop()
  })

  async function ops(...words: string[]): Promise<Body> {
    const stdout = await runOps(words, {
      SERVICE_TOKEN: system.serviceToken,
      ELEMENT_ADDRESSES: system.elementAddresses.join(),
      MEMBERSHIP_ADDRESSES: system.membershipAddress,
      CHANGE_FEED_ADDRESSES: system.changeFeedAddress,
      FILE_ADDRESSES: system.fileAddress,
    })
    return JSON.parse(stdout)
  }

  /** With every service stopped; they are started again afterwards. */
  async function offline(...statements: string[]): Promise<void> {
    for (const service of services) await system.processes.kill(service)
    for (const statement of statements) {
      // Connections of the processes that were killed take a moment to be noticed.
      await until(() =>
        server.query(statement).then(
          () => true,
          () => false,
        ),
      )
    }
    for (const service of services.toReversed()) await system.processes.restart(service)
  }
  const backUp = () => offline(`create database ${name}_backup template ${name}`)
  const restore = () => offline(`drop database ${name} with (force)`, `create database ${name} template ${name}_backup`)

  const feed = async (by: Pick<Owner, 'get'>, since = '0') => by.get(`/api/v2/changes?since=${since}`)
  const cursorOf = async (by: Pick<Owner, 'get'>): Promise<string> => expectBody(await feed(by), 200).cursor
  const filesOf = async (id: string): Promise<string[]> =>
    expectBody(await own.get(`/api/v2/location/${id}/files`), 200).data.map((file: Body) => file.id)

  it('rewinds feeds, forgets replies, and brings files and their bytes together again', async () => {
    const member = await addMember(system, own, 'contributor')
    const reader = { get: (path: string) => own.get(path, member.headers) }
    const place = (await own.make('location', { name: 'Before' })).id
    const kept = await addFile(own, 'location', place)
    const lost = await addFile(own, 'location', place, {}, 'to be removed after the backup')
    const within = await cursorOf(own)
    await backUp()

    const once = { 'Idempotency-Key': 'after the backup' }
    const undone = expectBody(await own.post('/api/v2/character', { name: 'After' }, once), 201)
    for (let more = 0; more < 4; more += 1) await own.make('event')
    const beyond = await cursorOf(own)
    const head = await own.head()
    const added = await addFile(own, 'location', place, {}, 'added after the backup')
    expect((await own.delete(`/api/v2/location/${place}/files/${lost.id}`)).status).toBe(204)
    const theirs = await cursorOf(other)

    await restore()
    books = await openBooks(system)
    expect(await ops('world', 'restored')).toMatchObject({ worlds: 2 })
    // Whoever is beyond the head sees it by the lower head; whoever is within it walks anew.
    const page = expectBody(await feed(own, beyond), 200)
    expect(page).toMatchObject({ changes: [], cursor: beyond })
    expect(page.head).toBeLessThan(head)
    for (const [by, cursor] of [
      [own, within],
      [other, theirs],
    ] as const) {
      const refused = await feed(by, cursor)
      expect([refused.status, refused.body.reason]).toEqual([409, 'view'])
    }
    expectBody(await feed(reader), 200)

    // The reply of a write that is undone is not given again.
    const again = expectBody(await own.post('/api/v2/character', { name: 'After' }, once), 201)
    expect(again.id).not.toBe(undone.id)
    while ((await own.head()) <= head) await own.make('event')
    expect((await feed(own, beyond)).status).toBe(409)

    // Rows are as old as the backup, objects are not.
    expect((await filesOf(place)).sort()).toEqual([kept.id, lost.id].sort())
    expect(await ops('files', 'reconcile')).toMatchObject({ rows: 2, missing: 1, stray: 1, repaired: 0 })
    const repair = ['files', 'reconcile', '--repair', '--accept-missing', '1']
    expect(await ops(...repair)).toMatchObject({ missing: 1, stray: 1, repaired: 2 })
    expect(await filesOf(place)).toEqual([kept.id])
    await until(async () => (await worldFiles(own)).used_bytes === kept.size)
    expect((await keysIn(books.bucket, `w/${own.world}/`)).some((key) => key.includes(added.id))).toBe(false)
    const anew = await addFile(own, 'location', place)
    await books.settled(own, [kept.id, anew.id], 2 * kept.size)
  }, 120_000)

  it('may be told of one world, or of one that is not there', async () => {
    const mine = await cursorOf(own)
    const theirs = await cursorOf(other)
    expect(await ops('world', 'restored', '--world', own.world)).toMatchObject({ worlds: 1 })
    expect((await feed(own, mine)).status).toBe(409)
    expect((await feed(other, theirs)).status).toBe(200)
    await expect(ops('world', 'restored', '--world', own.account.id)).rejects.toMatchObject({
      stderr: expect.stringContaining('there is no world'),
    })
  })
})
