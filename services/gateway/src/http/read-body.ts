import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { invalid, payloadTooLarge, RefusalError } from '@worlds/domain/errors'
import { ClientLeft } from './request-slots'

/** 2.5 MB (A76): also what a compressed body may inflate to. */
export const bodyLimit = 2_621_440

const inflate = promisify(gunzip)

/** The request's body as bytes of JSON text; empty when none was sent. */
export async function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw new RefusalError(payloadTooLarge())
  refuseCharset(request.headers['content-type'])
  const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (coding !== 'identity' && coding !== 'gzip') {
    throw new RefusalError(invalid('Content-Encoding', 'A body is sent as it is, or as gzip.'))
  }
  if (request.headers.expect !== undefined) response.writeContinue()
  const body = await collect(request)
  return coding === 'gzip' && body.length > 0 ? inflateWithin(body) : body
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Who has left already will never be heard of again.
    if (request.destroyed) return reject(new ClientLeft())
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyLimit) {
        request.removeAllListeners('data')
        request.pause()
        reject(new RefusalError(payloadTooLarge()))
      } else {
        chunks.push(chunk)
      }
    })
    const left = () => reject(new ClientLeft())
    request.once('end', () => {
      request.off('close', left)
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    })
    request.once('error', left)
    request.once('close', left)
  })
}

async function inflateWithin(body: Buffer): Promise<Buffer> {
  try {
    return await inflate(body, { maxOutputLength: bodyLimit })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new RefusalError(isTooLarge ? payloadTooLarge() : invalid(null, 'The body is not gzip.'))
  }
}

/** Content-Type is not checked (A35), but another character set could only be misread. */
function refuseCharset(contentType: string | undefined): void {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new RefusalError(invalid('Content-Type', 'A body is UTF-8.'))
  }
}
