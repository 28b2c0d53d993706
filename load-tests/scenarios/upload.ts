/** A file from its ticket to its listing, and back again by download; then it is removed. */
import { sleep } from 'k6'
import { Trend } from 'k6/metrics'
import { closeWorlds } from '../lib/auth.ts'
import { expect, expectServed } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import { freshKey } from '../lib/data.ts'
import { anyOf, type Filled, fillWorlds } from '../lib/operations.ts'
import { arrivals, optionsOf, profileName } from '../lib/profile.ts'
import { type SummaryData, summarize } from '../lib/summary.ts'
import { watchMemory } from '../lib/watch.ts'

/** From the upload's 201 to the listing. */
const listedMs = new Trend('listed_ms', true)
const listedWithinMs = 10_000
const size = Number(__ENV.BYTES || 65_536)

const common = optionsOf({ uploads: arrivals(10, 'work') }, ['write', 'ticket', 'upload', 'files', 'download'])
export const options = { ...common, thresholds: { ...common.thresholds, listed_ms: [`max<${listedWithinMs}`] } }

export function setup(): Filled[] {
  return fillWorlds(Number(__ENV.WORLDS || 4), 1)
}

export function work(worlds: Filled[]): void {
  const { headers } = anyOf(worlds)
  // Of its own: a store over a file system may stumble where one object comes into a folder as the last one leaves it.
  const made = ask('POST', '/api/v2/character', { op: 'write', headers, body: { name: 'Bearer' } })
  if (!expectServed('write', made, 201)) return
  const files = `/api/v2/character/${made.body.id}/files`
  const text = `${freshKey()}\n`.repeat(Math.ceil(size / 37)).slice(0, size)
  const ticket = ask('POST', files, { op: 'ticket', headers, body: { name: 'notes.txt', kind: 'txt', size } })
  if (!expectServed('ticket', ticket, 201)) return
  const bearer = { Authorization: `Bearer ${ticket.body.ticket}` }
  const sent = ask('POST', ticket.body.upload_url, { op: 'upload', headers: bearer, body: text })
  if (!expectServed('upload', sent, 201)) return
  if (!isListed(files, headers, ticket.body.file_id)) return
  download(`${files}/${ticket.body.file_id}`, headers, text)
}

function isListed(files: string, headers: Record<string, string>, id: string): boolean {
  const began = Date.now()
  for (;;) {
    const reply = ask('GET', files, { op: 'files', headers })
    if (!expectServed('files', reply, 200)) return false
    const found = reply.body.data.find((file: { id: string }) => file.id === id)
    const took = Date.now() - began
    if (found !== undefined) {
      listedMs.add(took)
      return expect('a file is listed with its size', found.size === size, found)
    }
    if (took > listedWithinMs) return expect('a file is listed in time', false, took)
    sleep(0.02)
  }
}

function download(file: string, headers: Record<string, string>, text: string): void {
  const link = ask('GET', `${file}/download`, { op: 'files', headers })
  if (!expectServed('link', link, 200)) return
  const bytes = ask('GET', link.body.url, { op: 'download' })
  if (expectServed('download', bytes, 200)) expect('a file reads as uploaded', bytes.text === text)
  expectServed('removal', ask('DELETE', file, { op: 'files', headers }), 204)
}

export const watch = watchMemory

export function teardown(worlds: Filled[]): void {
  closeWorlds(worlds)
}

export function handleSummary(data: SummaryData) {
  return summarize(data, `${profileName}, upload of ${size} bytes`, [], { size })
}
