/** What happens to the load's requests while something is done to the system, and what is there in the end. */
import { complaints, counts, endLoad, patienceMs, reasonsSince } from './load-pod.mjs'
import { check, note, seconds } from './report.mjs'
import { until } from './run.mjs'

/** Does something, and tells how the requests fared that were sent meanwhile. */
export async function underLoad(what, work) {
  const before = await until('k6 tells its counts', 30_000, counts)
  const began = new Date()
  const evidence = await work()
  const took = seconds(began)
  // Whoever began before and has no end by then has run out of patience in its last try.
  const over = Date.now() + 2 * patienceMs
  const after = await until('every request has an end', 4 * patienceMs, async () => {
    const now = await counts()
    return (now.open_requests === 0 || Date.now() > over) && now
  })
  const [sent, retried, lost] = ['sent', 'retried', 'lost'].map((which) => after[which] - before[which])
  const counted = `${sent} requests, ${retried} failed at first, ${lost} lost`
  check(lost === 0, what, [evidence, took, counted].filter(Boolean).join('; '))
  for (const [reason, count] of await reasonsSince(began)) note(`${count} × ${reason}`)
  const dropped = after.dropped_iterations - before.dropped_iterations
  if (dropped > 0) note(`${dropped} iterations were not begun, for all virtual users waited`)
}

/** Ends the load: what was acknowledged must be there, and once. */
export async function auditLoad() {
  const { failed, metrics } = await endLoad()
  const count = (name) => metrics[name]?.count
  const shown = { keyed: 'write with a key', upload: 'upload' }
  for (const [kind, what] of Object.entries(shown)) {
    const [acknowledged, owed, twice] = ['acknowledged', 'owed', 'twice'].map((name) => count(`${name}{kind:${kind}}`))
    const found = `${acknowledged} acknowledged, ${acknowledged - owed} there, ${twice} twice`
    check(owed === 0 && twice === 0, `every ${what} that was acknowledged is there, once`, found)
  }
  const { passes, fails } = metrics.checks
  check(fails === 0, 'all answers and the whole feed were right', `${passes} checks hold, ${fails} do not`)
  const bounds = failed.map(({ metric, bound }) => `${metric} ${bound}`).join(', ')
  if (!check(failed.length === 0, "k6's thresholds hold", bounds)) note((await complaints()).join('\n'))
  const row = (op) => ['sent', 'retried', 'lost'].map((name) => `${count(`${name}{op:${op}}`)} ${name}`).join(', ')
  for (const name of Object.keys(metrics)) {
    const [, op] = /^sent\{op:(.*)\}$/.exec(name) ?? []
    if (op !== undefined) note(`${op}: ${row(op)}`)
  }
  const [sent, failures] = [count('unkeyed_sent'), count('unkeyed_failed')]
  note(`uploads whose host was killed before it promised them: ${count('unpromised')}`)
  note(`write without a key: ${sent} sent, ${failures} failed, ${metrics.unkeyed_found.value} are there`)
}
