import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { newWorld, type World } from '@worlds/testkit/world'
import pg from 'pg'

/** A file that arms a failpoint: the first to reach it takes the file away. */
function fuse(): { path: string; light(): void; isBurnt(): boolean; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'fuse-'))
  const path = join(dir, 'lit')
  return {
    path,
    light: () => writeFileSync(path, ''),
    isBurnt: () => !existsSync(path),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

describe('an element process that dies, or hears nothing, after its commit', () => {
  const dies = fuse()
  const loses = fuse()
  let system: System
  let world: World
  let owner: Api
  beforeAll(async () => {
    const FAILPOINTS = `commit.before=exit@${dies.path}.before,commit.after=exit@${dies.path},commit.lost=error@${loses.path}`
    system = await startSystem({ env: { element: { FAILPOINTS } } })
    world = await newWorld(system)
    owner = api(system.gateway, { ...world.headers })
  })
  afterAll(async () => {
    await system.stop()
    dies.remove()
    loses.remove()
  })

  it('[ID-018] the retry replays the same 201 within 10 s and there is one element', async () => {
    dies.light()
    const key = { 'Idempotency-Key': 'after-a-crash' }
    const cut = owner.post('/api/v2/character', { name: 'Once' }, key)
    await until(() => dies.isBurnt())
    await system.processes.restart('element')
    await cut
    const started = Date.now()
    const reply = await retried(() => owner.post('/api/v2/character', { name: 'Once' }, key))
    expect(Date.now() - started).toBeLessThan(10_000)
    expect(reply.status).toBe(201)
    expect(reply.headers.get('idempotent-replay')).toBe('true')
    const { body } = await owner.get('/api/v2/character?name=Once')
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([reply.body.id])
  })

  it('[WR-045] a process that dies before its commit leaves nothing behind', async () => {
    writeFileSync(`${dies.path}.before`, '')
    const cut = owner.post('/api/v2/character', { name: 'Never' })
    await until(() => !existsSync(`${dies.path}.before`))
    await system.processes.restart('element')
    expect((await cut).status).toBe(503)
    expect((await owner.get('/api/v2/character?name=Never')).body.data).toEqual([])
  })

  it.each([
    ['with a key', { 'Idempotency-Key': 'lost-answer' }],
    ['without a key', {}],
  ])('[ID-018] a commit whose answer is lost is found again, %s', async (name, headers) => {
    loses.light()
    const reply = await owner.post('/api/v2/character', { name }, headers as Record<string, string>)
    expect(loses.isBurnt()).toBe(true)
    expect(reply.status).toBe(201)
    expect(reply.headers.get('idempotent-replay')).toBeNull()
    const { body } = await owner.get(`/api/v2/character?name=${encodeURIComponent(name)}`)
    expect(body.data).toEqual([reply.body])
  })
})

describe('a database connection that is cut mid-write', () => {
  let system: System
  let database: pg.Client
  beforeAll(async () => {
    system = await startSystem()
    database = new pg.Client({ connectionString: system.databaseUrl })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    await system.stop()
  })

  it('[ER-029] answers in the envelope, writes no half and recovers without a restart', async () => {
    const { headers } = await newWorld(system)
    const owner = api(system.gateway, { ...headers })
    const pid = system.processes.pid('element')
    let cutting = true
    let cuts = 0
    const cutter = (async () => {
      while (cutting) {
        const { rowCount } = await database.query(
          `select pg_terminate_backend(a.pid) from pg_stat_activity a
           where a.datname = current_database() and a.application_name = 'element' and a.state = 'active'`,
        )
        cuts += rowCount ?? 0
        await new Promise((resolve) => setTimeout(resolve, 15))
      }
    })()
    const replies: ApiReply[] = []
    for (let round = 0; cuts < 5; round += 1) {
      const items = Array.from({ length: 20 }, (_, n) => ({ type: 'character', element: { name: `${round}-${n}` } }))
      replies.push(
        ...(await Promise.all([owner.post('/api/v2/bulk', { items }), owner.post('/api/v2/bulk', { items })])),
      )
    }
    cutting = false
    await cutter
    for (const { status, body } of replies) {
      if (status !== 200) {
        expect([500, 503]).toContain(status)
        expect(['api_error', 'server_busy']).toContain(body.error.code)
      }
    }
    await until(async () => (await owner.post('/api/v2/character', { name: 'after' })).status === 201)
    expect(system.processes.pid('element')).toBe(pid)

    // Whole batches or none of them, and places without gaps.
    const { changes, head } = await walk(owner)
    const perRound = new Map<string, number>()
    for (const { element } of changes) {
      const [round = ''] = element.name.split('-')
      perRound.set(round, (perRound.get(round) ?? 0) + 1)
    }
    perRound.delete('after')
    for (const count of perRound.values()) expect(count % 20).toBe(0)
    const acknowledged = replies.filter(({ status }) => status === 200).flatMap((reply) => reply.body.items)
    const stored = new Set(changes.map(({ id }) => id))
    for (const { id } of acknowledged) expect(stored.has(id)).toBe(true)
    expect(head).toBe(changes.length)
  })
})

async function walk(reader: Api) {
  const changes: { id: string; element: { name: string } }[] = []
  for (let since = '0'; ; ) {
    const { body } = await reader.get(`/api/v2/changes?limit=1000&since=${since}`)
    changes.push(...body.changes)
    since = body.cursor
    if (!body.has_more) return { changes, head: body.head as number }
  }
}

/** Asks again while the service is away. */
async function retried(ask: () => Promise<ApiReply>): Promise<ApiReply> {
  for (;;) {
    const reply = await ask()
    if (reply.status !== 503 && reply.status !== 500) return reply
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
