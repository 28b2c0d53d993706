/**
 * Bytes in and out beside a plain server over the same object store, and what tickets, listings and
 * reports cost. Both sides take turns, a few clients each.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '@worlds/testkit/world'
import { isListed, newElement, newTicket, post } from './files-calls'
import { measure } from './measure'
import type { Stage } from './stage'
import { type Bare, downloads, type Tell, uploads } from './transfers'

export interface FilesResult {
  readonly name: string
  readonly text: string
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
