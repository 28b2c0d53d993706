import { check } from 'k6'
import type { Reply } from './client.ts'

/** So that one fault under load does not fill the log with itself. */
let shown = 0
const most = 5

/** Counts in `checks` whether it holds; the first few that do not are told with what was found instead. */
export function expect(name: string, holds: boolean, found?: unknown): boolean {
  if (!check(null, { [name]: () => holds }) && shown < most) {
    shown += 1
    console.error(`not so: ${name}${found === undefined ? '' : `; found ${JSON.stringify(found).slice(0, 500)}`}`)
  }
  return holds
}

/**
 * Whether the request was served, so that there is a body to look at. Being told that the system is busy is no wrong
 * answer: it is counted, and the profile's thresholds say whether it may be.
 */
export function expectServed(name: string, reply: Reply, status: number): boolean {
  if (reply.busy) return false
  return expect(`${name}: ${status}`, reply.status === status, { status: reply.status, text: reply.text })
}
