/** What is there after all restarts, by whoever looks at everything. */
import { Counter, Gauge } from 'k6/metrics'
import { expect } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import type { Filled } from '../lib/operations.ts'

/** What was answered well, and has to be there. */
const acknowledged = new Counter('acknowledged')
/** The same, less what is found in the end. */
const owed = new Counter('owed')
/** What is there more often than once. */
const twice = new Counter('twice')
/** Writes without a key that are there, answered or not. */
const unkeyedFound = new Gauge('unkeyed_found')
/** 1 once all was looked at: of a load that was stopped, k6 does not tell that its teardown failed. */
const audited = new Gauge('audited')

const kinds = { keyed: /^keyed (\d+)$/, upload: /^upload (\d+)\.txt$/ }
type Kind = keyof typeof kinds

/**
 * That each is there exactly once: none twice, and as many as were acknowledged. All that is found was begun, and all
 * that was begun has had its end, so where none was lost before, as many are the same ones.
 */
export const thresholdsOfAudit: Record<string, string[]> = {
  audited: ['value==1'],
  unkeyed_found: ['value>=0'],
  ...Object.fromEntries(
    Object.keys(kinds).flatMap((kind) => [
      [`acknowledged{kind:${kind}}`, ['count>0']],
      [`owed{kind:${kind}}`, ['count==0']],
      [`twice{kind:${kind}}`, ['count==0']],
    ]),
  ),
}

export function acknowledge(kind: Kind): void {
  acknowledged.add(1, { kind })
  owed.add(1, { kind })
}

export function audit(worlds: readonly Filled[]): void {
  const names = worlds.flatMap(namesOf)
  lookFor('keyed', names)
  const unpromised = new Set(names.filter((name) => name.startsWith('unpromised ')))
  const promised = (name: string) => !unpromised.has(`unpromised ${name}`)
  lookFor('upload', worlds.flatMap(filesOf).filter(promised))
  const unkeyed = names.filter((name) => name.startsWith('unkeyed '))
  expect('a write without a key is there at most once', new Set(unkeyed).size === unkeyed.length)
  unkeyedFound.add(unkeyed.length)
  audited.add(1)
}

/** Names are numbered through: when some are owed, the numbers that are not there tell which, for the log. */
function lookFor(kind: Kind, names: readonly string[]): void {
  const times = new Map<number, number>()
  for (const name of names) {
    const found = kinds[kind].exec(name)
    if (found !== null) times.set(Number(found[1]), (times.get(Number(found[1])) ?? 0) + 1)
  }
  const again = [...times].filter(([, count]) => count > 1).map(([number]) => number)
  const last = [...times.keys()].reduce((one, other) => Math.max(one, other), -1)
  const absent = Array.from({ length: last }, (_, number) => number).filter((number) => !times.has(number))
  owed.add(-times.size, { kind })
  twice.add(again.length, { kind })
  console.log(`audit ${JSON.stringify({ kind, there: times.size, last, absent: absent.slice(0, 50), again })}`)
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
