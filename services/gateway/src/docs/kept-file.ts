import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'

/** Something that is made once and served from memory. */
export interface KeptFile {
  readonly body: Buffer
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

export function keptFile(body: Buffer, type: string, headers: Record<string, string> = {}): KeptFile {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const common = { 'content-type': type, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
  return { body, etag, headers: { ...common, ...headers } }
}

/** How long a client may take nothing of what it is sent. */
const stalledMs = 30_000

/** To GET and HEAD; `cors` are headers of every reply. */
export function serveKept(
  file: KeptFile,
  { method, headers }: Request,
  response: Response,
  cors: Record<string, string>,
): void {
  const { body, etag } = file
  if (matchesEtag(headers['if-none-match'], etag)) {
    response.writeHead(304, { ...cors, etag }).end()
    return
  }
  response.writeHead(200, { ...file.headers, ...cors, etag, 'content-length': body.length })
  response.setTimeout(stalledMs, () => response.destroy())
  response.end(method === 'HEAD' ? undefined : body)
}

function matchesEtag(sent: string | undefined, etag: string): boolean {
  const tags = (sent ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
