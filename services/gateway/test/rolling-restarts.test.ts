import { randomUUID } from 'node:crypto'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { send, worldFiles } from './files-support'
import { type Body, newOwner, type Owner } from './support'

const services = ['element', 'membership', 'change-feed', 'file', 'upload-host', 'gateway']

/** Two of every service: one of them is taken away and brought back, under clients that try again as clients should. */
describe('with two of every service', () => {
  let system: System
  let own: Owner
  let place: string
  beforeAll(async () => {
    const env = {
      gateway: { REQUEST_BUDGET: '1000000' },
      file: { FILE_TICKETS: '100000' },
      'upload-host': { UPLOAD_LEASE_MS: '500', UPLOAD_PUT_MS: '1500' },
    }
    system = await startSystem({ files: true, replicas: 2, env })
    own = await newOwner(system)
    place = (await own.make('location')).id
  })
  afterAll(() => system.stop())

  it.each(services)('%s told to stop and started again, one after the other, loses nothing', async (service) => {
    const load = new Load(system, own, place)
    await load.until(30)
    for (const name of [service, `${service}-2`]) {
      await system.processes.restart(name)
      await load.until(load.done + 15)
    }
    await expectAllThere(await load.end())
  })

  it.each(services)('%s killed and started again, one after the other, loses nothing', async (service) => {
    const load = new Load(system, own, place)
    await load.until(30)
    for (const name of [service, `${service}-2`]) {
      await system.processes.kill(name)
      await load.until(load.done + 15)
      await system.processes.restart(name)
      await load.until(load.done + 15)
    }
    await expectAllThere(await load.end())
  })

  /** What was answered is there, and once: a write that was tried again was done once. */
  async function expectAllThere({ lost, written, uploaded }: Outcome): Promise<void> {
    expect(lost).toEqual([])
    const told = new Map<string, number>()
    for (let since = '0', more = true; more; ) {
      const { body } = await own.get(`/api/v2/changes?since=${since}&limit=1000`)
      for (const { element } of body.changes) {
        if (element?.name !== undefined) told.set(element.name, (told.get(element.name) ?? 0) + 1)
      }
      ;({ cursor: since, has_more: more } = body)
    }
    expect(written.length).toBeGreaterThan(0)
    expect(written.filter((name) => told.get(name) !== 1)).toEqual([])
    await until(async () => {
      const listed = new Set((await worldFiles(own)).data.map(({ id }: Body) => id))
      return uploaded.every((id) => listed.has(id))
    })
  }
})

interface Outcome {
  /** What was never answered well, however often it was tried. */
  readonly lost: string[]
  /** Names of elements. */
  readonly written: string[]
  /** Ids of files. */
  readonly uploaded: string[]
}

/** Four clients, each one request at a time, at either gateway; another try goes to the other one. */
class Load {
  readonly #outcome: Outcome = { lost: [], written: [], uploaded: [] }
  readonly #clients: Promise<void>[]
  readonly #gateways: readonly Api[]
  #isOver = false
  done = 0

  constructor(
    private readonly system: System,
    own: Owner,
    private readonly place: string,
  ) {
    this.#gateways = system.gateways.map((gateway) => api(gateway, own.headers))
    this.#clients = [this.#write(), this.#write(), this.#read(), this.#upload()].map(async (turn) => {
      for await (const _one of turn) this.done += 1
    })
  }

  until(done: number): Promise<void> {
    return until(() => this.done >= done)
  }

  async end(): Promise<Outcome> {
    this.#isOver = true
    await Promise.all(this.#clients)
    return this.#outcome
  }

  async *#write() {
    while (!this.#isOver) {
      const name = randomUUID()
      const once = { 'Idempotency-Key': name }
      if (await this.#try('write', 201, (at) => at.post('/api/v2/character', { name }, once))) {
        this.#outcome.written.push(name)
      }
      yield
    }
  }

  async *#read() {
    const paths = [
      `/api/v2/location/${this.place}`,
      '/api/v2/changes?limit=10',
      '/api/v2/me',
      '/api/v2/character?limit=5',
    ]
    for (let n = 0; !this.#isOver; n += 1) {
      const path = paths[n % paths.length] as string
      await this.#try(path, 200, (at) => at.get(path))
      yield
    }
  }

  async *#upload() {
    for (let n = 0; !this.#isOver; n += 1) {
      const path = `/api/v2/location/${this.place}/files`
      const asked = await this.#try('ticket', 201, (at) => at.post(path, { name: 'a.txt', kind: 'txt', size: 1 }))
      if (asked === null) continue
      const { body: ticket } = asked
      const sent = (upload: number) => send(ticket, 'x', {}, this.system.uploadUrls[upload % 2] as string)
      // 409 and 401: an upload with this ticket whose answer was lost goes on, or was well.
      const stored = await this.#try('upload', [201, 401], (_at, attempt) => sent(n + attempt))
      if (stored?.status === 201) this.#outcome.uploaded.push(ticket.file_id)
      yield
    }
  }

  async #try(
    what: string,
    wanted: number | readonly number[],
    ask: (at: Api, attempt: number) => Promise<Pick<ApiReply, 'status' | 'body'>>,
  ): Promise<Pick<ApiReply, 'status' | 'body'> | null> {
    let last = ''
    for (let attempt = 0; attempt < (what === 'upload' ? 20 : 60); attempt += 1) {
      const gateway = this.#gateways[(this.done + attempt) % 2] as Api
      const reply = await ask(gateway, attempt).catch((error: unknown) => String(error))
      if (typeof reply !== 'string' && [wanted].flat().includes(reply.status)) return reply
      last = typeof reply === 'string' ? reply : `${reply.status} ${JSON.stringify(reply.body)}`
      // As clients back off.
      await new Promise((resolve) => setTimeout(resolve, Math.min(20 * 2 ** attempt, 500)))
    }
    // A host that died between its put and its promise has promised nothing: the client asks for another ticket.
    if (!(what === 'upload' && last.startsWith('409'))) this.#outcome.lost.push(`${what}: ${last}`)
    return null
  }
}
