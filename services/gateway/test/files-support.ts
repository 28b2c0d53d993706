/** What tests of files and images begin with. */
import { readFileSync } from 'node:fs'
import { ObjectStore } from '@worlds/storage/object-store'
import type { Api, ApiReply } from '@worlds/testkit/api'
import type { System } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type Body, expectBody } from './support'

/** An answer of the upload or the download host. */
export interface HostReply {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects in a body.
  readonly body: any
}

/** As in `409 exists`; the status alone where there is no error. */
export function statusOf({ status, body }: Pick<HostReply, 'status' | 'body'>): string {
  return `${status} ${body?.error ?? ''}`.trim()
}

export interface TicketBody {
  readonly name: string
  readonly kind: string
  readonly size: number
  readonly label?: string | null
}

const txt: TicketBody = { name: 'notes.txt', kind: 'txt', size: 5 }

/** Asks for a ticket and expects it. */
export async function fileTicket(own: Api, type: string, id: string, body: Partial<TicketBody> = {}): Promise<Body> {
  return expectBody(await askTicket(own, type, id, body), 201)
}

export function askTicket(own: Api, type: string, id: string, body: Partial<TicketBody> = {}): Promise<ApiReply> {
  return own.post(`/api/v2/${type}/${id}/files`, { ...txt, ...body })
}

export async function imageTicket(own: Api): Promise<Body> {
  return expectBody(await own.post('/api/v2/media/ticket'), 201)
}

/** Sends bytes with a ticket; `url` names another host, or another path of it. */
export function send(
  ticket: { readonly ticket: string; readonly upload_url: string },
  bytes: Uint8Array | string,
  headers: Record<string, string> = {},
  url = ticket.upload_url,
): Promise<HostReply> {
  return ask(url, { method: 'POST', body: bytes, headers: { Authorization: `Bearer ${ticket.ticket}`, ...headers } })
}

export async function ask(url: string, init: RequestInit = {}): Promise<HostReply> {
  const response = await fetch(url, init)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, body: parse(bytes) }
}

/** Uploads a file and waits until it is listed; answers its record. */
export async function addFile(
  own: Api,
  type: string,
  id: string,
  body: Partial<TicketBody> = {},
  bytes: Uint8Array | string = 'hello',
): Promise<Body> {
  const ticket = await fileTicket(own, type, id, { size: Buffer.byteLength(bytes), ...body })
  const { status, bytes: text } = await send(ticket, bytes)
  if (status !== 201) throw new Error(`201 expected, not ${status} ${text}`)
  return untilListed(own, type, id, ticket.file_id)
}

export async function untilListed(own: Api, type: string, id: string, file: string): Promise<Body> {
  let found: Body
  await until(async () => {
    found = (await filesOf(own, type, id)).find((record: Body) => record.id === file)
    return found !== undefined
  })
  return found
}

export async function filesOf(own: Api, type: string, id: string): Promise<Body[]> {
  return expectBody(await own.get(`/api/v2/${type}/${id}/files`), 200).data
}

export async function worldFiles(own: Api): Promise<Body> {
  return expectBody(await own.get('/api/v2/world/files'), 200)
}

/** Uploads an image with a ticket of its own; answers what the host answers. */
export async function addImage(
  own: Api,
  bytes: Uint8Array = png(),
  headers: Record<string, string> = {},
): Promise<Body> {
  const { status, body } = await send(await imageTicket(own), bytes, headers)
  if (status !== 201) throw new Error(`201 expected, not ${status} ${JSON.stringify(body)}`)
  return body
}

/** The image is reported once it can be removed. */
export async function untilReported(own: Api, key: string): Promise<Body> {
  let reply: ApiReply | undefined
  await until(async () => {
    reply = await own.post('/api/v2/media/remove-ticket', { key })
    return reply.status === 200
  })
  return reply?.body
}

/** The system's bucket, looked into past the services. */
export function bucketOf(system: Pick<System, 's3Endpoint' | 'bucket'>): ObjectStore {
  return new ObjectStore({
    endpoint: system.s3Endpoint,
    region: 'us-east-1',
    bucket: system.bucket,
    pathStyle: true,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    conditionalPuts: false,
    createBucket: false,
    timeoutMs: 5_000,
  })
}

export async function keysIn(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await store.list(prefix, '', 1_000)).map(({ key }) => key)
}

/** All keys there are, once no image waits to be listed: its pointer is removed then. */
export async function settledKeys(store: ObjectStore): Promise<string[]> {
  await until(async () => (await keysIn(store, 'pointers/')).length === 0)
  return keysIn(store, '')
}

/** Peak memory of a process so far, in MiB; undefined where /proc is not. */
export function peakMemory(pid: number): number {
  const [, kib = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** The smallest beginnings that each type is known by, made as long as is asked for. */
export function png(size = 64): Buffer {
  return grown(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), size)
}

export function jpeg(size = 64): Buffer {
  return grown(Buffer.from('ffd8ffe000104a464946000101', 'hex'), size)
}

export function webp(size = 64): Buffer {
  return grown(Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4, 1), Buffer.from('WEBPVP8 ')]), size)
}

export function avif(size = 64): Buffer {
  return grown(
    Buffer.concat([Buffer.from('00000014', 'hex'), Buffer.from('ftypavif'), Buffer.alloc(4), Buffer.from('avif')]),
    size,
  )
}

function grown(head: Buffer, size: number): Buffer {
  return Buffer.concat([head, Buffer.alloc(Math.max(size - head.length, 0), 7)])
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return null
  }
}
