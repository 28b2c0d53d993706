import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { newWorld } from '@worlds/testkit/world'

describe('a process that stops or dies while requests are under way', () => {
  let system: System
  let owner: Api
  beforeAll(async () => {
    system = await startSystem({ elements: 2, env: { gateway: { REQUEST_BUDGET: '1000000' } } })
    owner = api(system.gateway, { ...(await newWorld(system)).headers })
  })
  afterAll(() => system.stop())

  it.each(['element', 'element-2', 'membership', 'change-feed'])(
    '%s told to stop and started again fails no request',
    async (name) => {
      const load = new Load(owner, name)
      await load.until(20)
      await system.processes.restart(name)
      await load.until(load.done + 40)
      const { made, failed } = await load.end()
      expect(failed.map(({ status, text }) => `${status} ${text}`)).toEqual([])
      await expectStored(made)
    },
  )

  it.each(['element', 'element-2', 'membership', 'change-feed'])(
    '%s killed and started again loses no acknowledged write',
    async (name) => {
      const load = new Load(owner, `${name}-killed`)
      await load.until(20)
      await system.processes.kill(name)
      await load.until(load.done + 10)
      await system.processes.restart(name)
      await load.until(load.done + 40)
      const { made, failed } = await load.end()
      for (const { status, body } of failed) {
        expect([500, 503]).toContain(status)
        expect(['api_error', 'server_busy']).toContain(body.error.code)
      }
      await expectStored(made)
    },
  )

  it('element killed loses no keyed write while another replica serves', async () => {
    const replies = Array.from({ length: 60 }, (_, n) =>
      owner.post('/api/v2/character', { name: `keyed-${n}` }, { 'Idempotency-Key': `keyed-${n}` }),
    )
    await system.processes.kill('element')
    const answered = await Promise.all(replies)
    await system.processes.restart('element')
    for (const [n, reply] of answered.entries()) {
      const last = reply.status === 201 ? reply : await again(n)
      expect(last.status).toBe(201)
    }
    const { body } = await owner.get('/api/v2/character?name__icontains=keyed-&limit=1000')
    expect(new Set(body.data.map(({ name }: { name: string }) => name)).size).toBe(60)
    expect(body.data).toHaveLength(60)
  })

  it('a gateway told to stop answers what it has taken and ends', async () => {
    const replies = Array.from({ length: 30 }, () => owner.post('/api/v2/character', { name: 'last' }))
    const first = await replies[0]
    expect(first?.status).toBe(201)
    const stopped = system.processes.kill('gateway', 'SIGTERM')
    const answered = await Promise.allSettled(replies)
    await stopped
    expect(system.processes.exitCode('gateway')).toBe(0)
    await system.processes.restart('gateway')
    const made = answered.flatMap((reply) =>
      reply.status === 'fulfilled' && reply.value.status === 201 ? [reply.value.body.id] : [],
    )
    await expectStored(made)
  })

  async function again(n: number): Promise<ApiReply> {
    for (;;) {
      const reply = await owner.post('/api/v2/character', { name: `keyed-${n}` }, { 'Idempotency-Key': `keyed-${n}` })
      if (reply.status !== 503 && reply.status !== 500) return reply
    }
  }

  async function expectStored(ids: readonly string[]): Promise<void> {
    const stored = new Set<string>()
    for (let since = '0'; ; ) {
      const { status, body } = await owner.get(`/api/v2/changes?limit=1000&since=${since}`)
      if (status !== 200) continue
      for (const { id } of body.changes) stored.add(id)
      since = body.cursor
      if (!body.has_more) break
    }
    expect(ids.filter((id) => !stored.has(id))).toEqual([])
  }
})

/** A few clients that write and read one after another until they are told to end. */
class Load {
  done = 0
  readonly #made: string[] = []
  readonly #failed: ApiReply[] = []
  #goesOn = true
  readonly #clients: Promise<void>[]

  constructor(
    private readonly owner: Api,
    private readonly name: string,
  ) {
    this.#clients = Array.from({ length: 4 }, () => this.#run())
  }

  async until(count: number): Promise<void> {
    while (this.done < count) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  async end(): Promise<{ made: string[]; failed: ApiReply[] }> {
    this.#goesOn = false
    await Promise.all(this.#clients)
    return { made: this.#made, failed: this.#failed }
  }

  async #run(): Promise<void> {
    while (this.#goesOn) {
      const reply = await this.owner.post('/api/v2/character', { name: this.name })
      this.done += 1
      if (reply.status === 201) this.#made.push(reply.body.id)
      else this.#failed.push(reply)
      const read = await this.owner.get('/api/v2/changes?limit=1')
      if (read.status !== 200) this.#failed.push(read)
    }
  }
}
