import type { StreamedReply } from '@worlds/runtime/rpc-client'
import type { StreamAnswer, WholeAnswer } from '../http/answer'

/**
 * A page that comes in parts, between the texts that stand before and after its rows: whole where the first part is all
 * of it, else streamed as the client takes it. `bytes` are those of all rows.
 */
export function pageAnswer<Part>(
  { first, rest, cancel }: StreamedReply<Part>,
  rowsOf: (part: Part) => Buffer,
  bytes: number,
  [start, end]: readonly [string, string],
): WholeAnswer | StreamAnswer {
  const rows = rowsOf(first)
  const [head, tail] = [Buffer.from(start), Buffer.from(end)]
  if (rows.length === bytes) return { kind: 'reply', status: 200, body: [head, rows, tail] }
  async function* pieces() {
    yield Buffer.concat([head, rows])
    for await (const part of rest()) yield rowsOf(part)
    yield tail
  }
  return { kind: 'stream', pieces: pieces(), length: head.length + bytes + tail.length, cancel }
}
