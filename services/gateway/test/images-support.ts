/** What tests of images begin with, beyond a ticket and an upload. */
import { crc32, deflateSync } from 'node:zlib'
import type { Api } from '@worlds/testkit/api'
import { until } from '@worlds/testkit/until'
import { addImage, ask, type HostReply, png, send } from './files-support'
import { type Body, expectBody } from './support'

/** What the account record says of its images. */
export async function storageOf(bearer: Pick<Api, 'get'>): Promise<{ used: number; cap: number }> {
  const { image_bytes_used: used, image_bytes_cap: cap } = expectBody(await bearer.get('/api/v2/account'), 200)
  return { used, cap }
}

export function untilUsed(bearer: Pick<Api, 'get'>, bytes: number): Promise<void> {
  return until(async () => (await storageOf(bearer)).used === bytes)
}

/** Uploads an image and waits until it is counted. */
export async function addCounted(
  own: Api,
  bearer: Pick<Api, 'get'>,
  size = 64,
  headers: Record<string, string> = {},
): Promise<Body> {
  const { used } = await storageOf(bearer)
  const image = await addImage(own, png(size), headers)
  await untilUsed(bearer, used + size)
  return image
}

export function removalTicket(own: Pick<Api, 'post'>, key: unknown) {
  return own.post('/api/v2/media/remove-ticket', { key })
}

/** Uses a removal ticket. */
export function remove({ ticket, remove_url }: Body): Promise<HostReply> {
  return send({ ticket, upload_url: remove_url }, '')
}

/** Whether anybody is served the image. */
export async function isServed(url: string): Promise<boolean> {
  const { status, body } = await ask(url)
  if (status === 404) expect(body).toEqual({ error: 'not_found' })
  else expect(status).toBe(200)
  return status === 200
}

/** A whole PNG of one colour, as a drawing program writes it. */
export function realPng(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, 0x7f)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
