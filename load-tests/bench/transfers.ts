/** Bytes up and down, beside a plain server over the same object store: both sides take turns. */
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpuMs, type Watched } from './cpu'
import { allListed, newElement, newTicket, own, post, type Ticket } from './files-calls'
import type { Stage } from './stage'

export type Tell = (name: string, text: string) => void

export interface Bare {
  readonly child: ChildProcess
  readonly address: string
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

export async function uploads(
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

export async function downloads(stage: Stage, bare: Bare, turns: number, tell: Tell): Promise<void> {
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
