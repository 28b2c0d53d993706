/** Uploads as no ordinary client sends them: piece by piece, or not as HTTP would have it. */
import type { System } from '@worlds/testkit/system'
import type { HostReply } from './files-support'
import { Raw, type RawReply } from './hostile-table'
import type { Body } from './support'

/** The head of a request to the upload host. */
export function uploadHead(ticket: string | null, lines: readonly string[], start = 'POST /v1/upload'): string {
  const bearer = ticket === null ? [] : [`Authorization: Bearer ${ticket}`]
  return `${[`${start} HTTP/1.1`, 'Host: upload', ...bearer, ...lines].join('\r\n')}\r\n\r\n`
}

/** Sends bytes as they are and waits for the first answer. */
export async function sendRaw({ uploadUrl }: Pick<System, 'uploadUrl'>, ...parts: string[]): Promise<RawReply> {
  const raw = new Raw(uploadUrl)
  try {
    for (const part of parts) raw.send(part)
    return await raw.reply()
  } finally {
    raw.leave()
  }
}

/** An upload that has been let in and waits for its bytes. */
export interface Begun {
  /** Sends bytes; with all of them there is an answer. */
  go(bytes: string | Uint8Array): Begun
  answer(): Promise<RawReply>
  /** As a client does whose network is gone. */
  leave(): void
}

/** Asks for leave to send so many bytes, and has it. */
export async function begin(
  { uploadUrl }: Pick<System, 'uploadUrl'>,
  ticket: Pick<Body, 'ticket'>,
  length: number,
  lines: readonly string[] = [],
): Promise<Begun> {
  const raw = new Raw(uploadUrl)
  raw.send(uploadHead(ticket.ticket, [`Content-Length: ${length}`, 'Expect: 100-continue', ...lines]))
  const { status } = await raw.reply(false)
  if (status !== 100) throw new Error(`leave expected, not ${raw.text}`)
  const skipped = raw.text.indexOf('\r\n\r\n') + 4
  const begun: Begun = {
    go(bytes) {
      raw.send(bytes)
      return begun
    },
    async answer() {
      for (;;) {
        const text = raw.text.slice(skipped)
        const end = text.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN)
        if (end >= 0 && text.length >= end + 4 + length) {
          raw.leave()
          return { status: Number(text.split(' ')[1]), headers: new Headers(), body: JSON.parse(text.slice(end + 4)) }
        }
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    leave: () => raw.leave(),
  }
  return begun
}

/** Expects a refusal of the upload host, in its own shape, readable from any origin. */
export function expectHostRefusal(
  { status, headers, body }: HostReply | RawReply,
  expected: number,
  error: string,
): void {
  expect({ status, body }).toEqual({ status: expected, body: { error } })
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('content-type')).toBe('application/json')
}

/** The one refusal that says why. */
export function expectBadKey({ status, headers, body }: HostReply): void {
  expect({ status, body }).toEqual({ status: 400, body: { error: 'bad_key', reason: expect.stringMatching(/./) } })
  expect(headers.get('access-control-allow-origin')).toBe('*')
}
