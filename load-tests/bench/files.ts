/**
 * Bytes in and out beside a plain server over the same object store, and what tickets, listings and
 * reports cost. Both sides take turns, a few clients each.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { api } from '@worlds/testkit/api'
import type { World } from '@worlds/testkit/world'
import { cpuMs, type Watched } from './cpu'
import { measure } from './measure'
import type { Stage } from './stage'

export interface FilesResult {
  readonly name: string
  readonly text: string
}

interface Ticket {
  readonly ticket: string
  readonly upload_url: string
  readonly file_id: string
}

export async function runFiles(stage: Stage, seconds: number, turns: number): Promise<FilesResult[]> {
  const results: FilesResult[] = []
  const tell = (name: string, text: string) => {
    results.push({ name, text })
    console.log(text)
  }
  const bare = await startBare(stage)
  const [world, element] = await newElement(stage)
  try {
    console.log(`object store: ${stage.store.name}`)
    tell('tickets', await tickets(stage, seconds))
    await reportLatency(world, element, tell)
    await listing(stage, world, element, seconds, tell)
    // A second each, of which some meet the store's disk and some do not: more of them have a steadier middle.
    await uploads(stage, bare, { name: '1 MB', bytes: 1_048_576, count: 160, clients: 4 }, 3 * turns, tell)
    await uploads(stage, bare, { name: '1 MB', bytes: 1_048_576, count: 160, clients: 16 }, 3 * turns, tell)
    await uploads(stage, bare, { name: '25 MB', bytes: 26_214_400, count: 8, clients: 4 }, turns, tell)
    await downloads(stage, bare, 3 * turns, tell)
  } finally {
    bare.child.kill()
  }
  return results
}

type Tell = (name: string, text: string) => void

interface Bare {
  readonly child: ChildProcess
  readonly address: string
}

async function startBare({ store, bucket }: Stage): Promise<Bare> {
  const { endpoint, accessKeyId, secretAccessKey } = store.access
  const keys = { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey }
  const env = { ...process.env, ...keys, S3_ENDPOINT: endpoint, S3_BUCKET: bucket }
  const script = join(__dirname, '..', 'baseline', 'bytes.js')
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, address: (JSON.parse(line) as { address: string }).address }
  }
  throw new Error('the plain server did not start')
}

async function newElement(stage: Stage): Promise<[World, string]> {
  const world = await stage.newWorld()
  const made = await own(stage, world).post('/api/v2/character', { name: 'Bearer' })
  return [Object.assign(world, { gateway: stage.gateway }), made.body.id]
}

function own({ gateway }: Pick<Stage, 'gateway'>, { headers }: World) {
  return api(gateway, { ...headers })
}

async function newTicket(at: Pick<Stage, 'gateway'>, world: World, element: string, size: number): Promise<Ticket> {
  const body = { name: 'bytes.txt', kind: 'txt', size }
  const reply = await own(at, world).post(`/api/v2/character/${element}/files`, body)
  if (reply.status !== 201) throw new Error(`no ticket: ${reply.status} ${reply.text}`)
  return reply.body
}

const agent = new Agent({ keepAlive: true })

/** By a client that costs next to nothing: it shares the cores with what is measured. */
function post(url: string, bytes: Buffer, more: Record<string, string> = {}): Promise<void> {
  const headers = { ...more, 'content-length': bytes.length }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, async (response) => {
      const answer = await text(response).catch(String)
      if (response.statusCode === 201) resolve()
      else reject(new Error(`not stored: ${response.statusCode} ${answer}`))
    })
    sent.on('error', reject).end(bytes)
  })
}

/** Issued in many worlds at once: in one they follow each other under its lock. */
async function tickets(stage: Stage, seconds: number): Promise<string> {
  const worlds = await Promise.all(Array.from({ length: 32 }, () => newElement(stage)))
  const load = {
    url: stage.gateway,
    method: 'POST',
    body: JSON.stringify({ name: 'bytes.txt', kind: 'txt', size: 1 }),
    connections: 32,
    seconds,
    requests: worlds.map(([{ headers }, id]) => ({ path: `/api/v2/character/${id}/files`, headers: { ...headers } })),
  } as const
  const { perSecond, p50, p99, cpu } = await measure(load, stage.system)
  const parts = Object.entries(cpu).map(([process, ms]) => `${process} ${ms.toFixed(2)}`)
  return `tickets, 32 worlds  ${perSecond.toFixed(0)} /s, p50 ${p50} ms, p99 ${p99} ms; CPU ms each: ${parts.join(' ')}`
}

/** From the 201 to the listing, one upload at a time. */
async function reportLatency(world: World, element: string, tell: Tell): Promise<void> {
  const at = world as World & { gateway: string }
  const waits: number[] = []
  for (let count = 0; count < 100; count += 1) {
    const ticket = await newTicket(at, world, element, 5)
    await post(ticket.upload_url, Buffer.from('hello'), { authorization: `Bearer ${ticket.ticket}` })
    const began = performance.now()
    while (!(await isListed(at, world, element, ticket.file_id))) await sleep(1)
    waits.push(performance.now() - began)
  }
  waits.sort((a, b) => a - b)
  const [p50 = 0, p99 = 0] = [waits[49], waits[98]]
  tell('report', `report, 201 to listed  p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (bar: p99 < 500)`)
}

async function isListed(at: Pick<Stage, 'gateway'>, world: World, element: string, id: string): Promise<boolean> {
  return (await listed(at, world, element)).some((record) => record.id === id)
}

/** Throws when a minute was not enough. */
async function allListed(stage: Stage, world: World, element: string, count: number): Promise<void> {
  const latest = performance.now() + 60_000
  while ((await listed(stage, world, element)).length < count) {
    if (performance.now() > latest) throw new Error('an upload was not listed within a minute')
    await sleep(20)
  }
}

async function listed(at: Pick<Stage, 'gateway'>, world: World, element: string): Promise<{ id: string }[]> {
  return (await own(at, world).get(`/api/v2/character/${element}/files`)).body.data
}

async function listing(stage: Stage, world: World, element: string, seconds: number, tell: Tell): Promise<void> {
  for (let more = 100; more > 0; more -= 1) {
    const ticket = await newTicket(stage, world, element, 5)
    await post(ticket.upload_url, Buffer.from('hello'), { authorization: `Bearer ${ticket.ticket}` })
  }
  for (const path of [`/api/v2/character/${element}/files`, '/api/v2/world/files']) {
    const load = { url: `${stage.gateway}${path}`, headers: { ...world.headers }, connections: 16, seconds }
    const { perSecond, p50, p99 } = await measure(load, stage.system)
    const name = path.replace(element, '{id}')
    tell('listing', `200 files, ${name}  ${perSecond.toFixed(0)} /s, p50 ${p50} ms, p99 ${p99} ms`)
  }
}

interface Transfer {
  readonly mbPerSecond: number
  readonly cpuPerMb: number
}

interface Bodies {
  readonly bytes: number
  readonly count: number
  /** How many are under way at once. */
  readonly clients: number
}

/** `work` moves one body; the CPU is that of the processes named. */
async function transfer({ bytes, count, clients }: Bodies, watched: Watched, work: (n: number) => Promise<void>) {
  const before = cpuMs(watched)
  const began = performance.now()
  const next = Array.from({ length: count }, (_, n) => n)
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let n = next.shift(); n !== undefined; n = next.shift()) await work(n)
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const after = cpuMs(watched)
  const mb = (bytes * count) / 1_048_576
  const cpu = Object.keys(watched).reduce((sum, name) => sum + (after[name] ?? 0) - (before[name] ?? 0), 0)
  return { mbPerSecond: mb / seconds, cpuPerMb: cpu / mb }
}

/** Of all turns but the first, in which both sides warm up. */
function middle([, ...runs]: readonly Transfer[]): Transfer {
  return runs.sort((a, b) => a.mbPerSecond - b.mbPerSecond)[Math.floor(runs.length / 2)] as Transfer
}

function compared(name: string, bare: Transfer, system: Transfer): string {
  const side = ({ mbPerSecond, cpuPerMb }: Transfer) =>
    `${mbPerSecond.toFixed(0)} MB/s, CPU ${cpuPerMb.toFixed(2)} ms/MB`
  const ratio = system.mbPerSecond / bare.mbPerSecond
  return `${name}  plain: ${side(bare)} | ours: ${side(system)}; ratio ${ratio.toFixed(2)} (bar >= 0.8)`
}

async function uploads(
  stage: Stage,
  bare: Bare,
  load: Bodies & { readonly name: string },
  turns: number,
  tell: Tell,
): Promise<void> {
  const { name, bytes, count, clients } = load
  const body = Buffer.from(randomBytes(bytes / 2).toString('hex'))
  const plain: Transfer[] = []
  const ours: Transfer[] = []
  for (let turn = 0; turn <= turns; turn += 1) {
    const put = (n: number) => post(`${bare.address}/bare/${name.replace(' ', '')}/${turn}/${n}`, body)
    plain.push(await transfer(load, { bare: { pid: bare.child.pid ?? 0 } }, put))
    const [world, element] = await newElement(stage)
    const open: Ticket[] = []
    for (let n = 0; n < count; n += 1) open.push(await newTicket(stage, world, element, bytes))
    const send = (n: number) => post(open[n]?.upload_url ?? '', body, { authorization: `Bearer ${open[n]?.ticket}` })
    ours.push(await transfer(load, { host: { pid: stage.uploadHost } }, send))
    // What is still to be listed is not to be the plain server's load.
    await allListed(stage, world, element, count)
  }
  const title = `upload ${name}, ${clients} at once`
  tell(title, compared(title, middle(plain), middle(ours)))
}

async function downloads(stage: Stage, bare: Bare, turns: number, tell: Tell): Promise<void> {
  const bytes = 26_214_400
  const body = Buffer.from(randomBytes(bytes / 2).toString('hex'))
  await post(`${bare.address}/bare/download`, body)
  const [world, element] = await newElement(stage)
  const ticket = await newTicket(stage, world, element, bytes)
  await post(ticket.upload_url, body, { authorization: `Bearer ${ticket.ticket}` })
  await allListed(stage, world, element, 1)
  const path = `/api/v2/character/${element}/files/${ticket.file_id}/download`
  const { url } = (await own(stage, world).get(path)).body
  const plain: Transfer[] = []
  const ours: Transfer[] = []
  const load = { bytes, count: 16, clients: 4 }
  for (let turn = 0; turn <= turns; turn += 1) {
    plain.push(
      await transfer(load, { bare: { pid: bare.child.pid ?? 0 } }, () => drain(`${bare.address}/bare/download`)),
    )
    ours.push(await transfer(load, { file: { pid: stage.file } }, () => drain(url)))
  }
  tell('download 25 MB', compared('download 25 MB', middle(plain), middle(ours)))
}

async function drain(url: string): Promise<void> {
  const response = await fetch(url)
  if (response.status !== 200 || response.body === null) throw new Error(`not served: ${response.status}`)
  for await (const _chunk of response.body as unknown as AsyncIterable<Uint8Array>);
}
