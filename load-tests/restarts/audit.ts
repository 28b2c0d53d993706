/** What is there after all restarts, by whoever looks at everything. */
import { Gauge } from 'k6/metrics'
import { expect } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import type { Filled } from '../lib/operations.ts'

/** Writes without a key that are there, answered or not. */
const unkeyedFound = new Gauge('unkeyed_found')

/** How many there are at least. */
interface Fewest {
  readonly keyed: number
  readonly uploads: number
}

/**
 * Names are numbered through, so all of them are known without being told by who wrote them: one of each number is
 * there up to the highest. Whoever lost one has said so already.
 */
export function audit(worlds: readonly Filled[], { keyed, uploads }: Fewest): void {
  const names = worlds.flatMap(namesOf)
  expectEachOnce('a keyed write', names, /^keyed (\d+)$/, keyed)
  expectEachOnce('an upload', worlds.flatMap(filesOf), /^upload (\d+)\.txt$/, uploads)
  const unkeyed = names.filter((name) => name.startsWith('unkeyed '))
  expect('a write without a key is there at most once', new Set(unkeyed).size === unkeyed.length)
  unkeyedFound.add(unkeyed.length)
}

function expectEachOnce(what: string, names: readonly string[], pattern: RegExp, fewest: number): void {
  const times: number[] = []
  for (const name of names) {
    const number = pattern.exec(name)?.[1]
    if (number !== undefined) times[Number(number)] = (times[Number(number)] ?? 0) + 1
  }
  const amiss = Array.from(times, (found = 0, number) => ({ number, found })).filter(({ found }) => found !== 1)
  expect(`${what} is there exactly once`, amiss.length === 0, amiss)
  expect(`${what} is there up to the last`, times.length >= fewest, { found: times.length, fewest })
}

/** The whole feed from where the run began; what it says of places is checked on the way. */
function namesOf({ headers, cursor, head }: Filled): string[] {
  const names: string[] = []
  let [since, last, more] = [cursor, head, true]
  while (more) {
    const reply = ask('GET', `/api/v2/changes?limit=500&since=${encodeURIComponent(since)}`, { op: 'audit', headers })
    if (!expect('the feed is read to its end', reply.status === 200, reply)) break
    for (const { change_seq, element } of reply.body.changes) {
      if (change_seq !== last + 1) expect('the feed has no gap', false, { last, change_seq })
      last = change_seq
      if (element?.name) names.push(element.name)
    }
    since = reply.body.cursor
    more = reply.body.has_more
  }
  return names
}

function filesOf({ headers }: Filled): string[] {
  const reply = ask('GET', '/api/v2/world/files', { op: 'audit', headers })
  if (!expect('the files of a world are listed', reply.status === 200, reply)) return []
  return reply.body.data.map(({ name }: { name: string }) => name)
}
