/** Clients that know every gateway and try again at the next one, as clients should; and what that came to. */
import { sleep } from 'k6'
import { Counter, Trend } from 'k6/metrics'
import { type Ask, ask, type Reply } from './client.ts'
import { figureOf, type SummaryData } from './summary.ts'

/** Requests of a client, however often each was tried. */
const sent = new Counter('sent')
/** Those that were not answered well at the first try. */
const retried = new Counter('retried')
/** Those that were not answered well at any. */
const lost = new Counter('lost')
/** Those that have had no end yet: one more when a request begins, one less when it ends. */
const open = new Counter('open_requests')
/** From the first try to the good answer, of those that took more than one. */
const retriedMs = new Trend('retried_ms', true)

export const gateways = listOf(__ENV.BASE_URLS || __ENV.BASE_URL)
export const uploadHosts = listOf(__ENV.UPLOAD_URLS)

/** After so long a client gives up, and its request is lost. */
export const patienceMs = Number.parseInt(__ENV.PATIENCE || '10', 10) * 1_000
/** A try that is not answered for so long has failed. */
const answerWithinMs = 10_000
/** What stands before the hosts, as a Service does, chooses one for each connection: this share has one of its own. */
const ownConnections = Number(__ENV.OWN_CONNECTIONS || 0)
const firstPauseMs = 50
const longestPauseMs = 1_000

export interface Wish extends Omit<Ask, 'timeout'> {
  readonly method: string
  /** Where the first try goes: the other hosts follow in turn. */
  readonly turn: number
  /** The gateways unless said. */
  readonly hosts?: readonly string[]
  readonly path: string
  /** What a good answer is; 200 unless said. */
  readonly wanted?: readonly number[]
  /** Beside no answer and 503, what is worth another try. */
  readonly again?: readonly number[]
  /** What is taken for an answer where it is still that when patience is over. */
  readonly finally?: readonly number[]
}

/** Asks until the answer is good. Null where it never was: the request is lost, which is counted and told. */
export function persist(wish: Wish) {
  open.add(1)
  try {
    return askUntilGood(wish)
  } finally {
    open.add(-1)
  }
}

function askUntilGood({ method, turn, hosts = gateways, path, ...wish }: Wish) {
  const { wanted = [200], again = [], finally: accepted = [], ...request } = wish
  const { op } = request
  const began = Date.now()
  for (let tries = 0; ; tries += 1) {
    const host = hosts[(turn + tries) % hosts.length] ?? ''
    const at = Date.now()
    const headers = { ...request.headers, ...(Math.random() < ownConnections ? { Connection: 'close' } : {}) }
    const reply = ask(method, `${host}${path}`, { ...request, headers, timeout: `${answerWithinMs}ms` })
    const mayTryAgain = isAway(reply) || again.includes(reply.status)
    const pauseMs = Math.min(firstPauseMs * 2 ** tries, longestPauseMs)
    const isPatient = Date.now() - began + pauseMs <= patienceMs
    const isGood = wanted.includes(reply.status) || (!isPatient && accepted.includes(reply.status))
    const isOver = isGood || !mayTryAgain || !isPatient
    if (!isGood) tell(isOver ? 'LOST' : 'again', op, host, path, at, tries, reply)
    if (isOver) {
      count(op, isGood, tries, Date.now() - began)
      return isGood ? reply : null
    }
    sleep(pauseMs / 1000)
  }
}

/** No answer at all, or one that says to come again. */
function isAway({ status }: Reply): boolean {
  return status === 0 || status === 503
}

/** For the log of k6, so that what failed can be laid beside what was restarted then. Every one of them, on a line. */
export function tell(
  what: string,
  op: string,
  host: string,
  path: string,
  at: number,
  tries: number,
  { status, error, text }: Reply,
): void {
  const found = { op, host, path, at: new Date(at).toISOString(), tries, status, error, text: text.slice(0, 200) }
  const line = `${what} ${JSON.stringify(found)}`
  if (what === 'LOST') console.error(line)
  else console.log(line)
}

function count(op: string, isGood: boolean, tries: number, ms: number): void {
  // The zeros too: a counter that counts nothing is in no summary.
  sent.add(1, { op })
  retried.add(tries > 0 ? 1 : 0, { op })
  lost.add(isGood ? 0 : 1, { op })
  if (isGood && tries > 0) retriedMs.add(ms, { op })
}

/** That nothing is lost, and that the rest is in the summary. */
export function thresholdsOfPersistent(ops: readonly string[]): Record<string, string[]> {
  const bounds = (op: string) => [
    [`sent{op:${op}}`, ['count>0']],
    [`retried{op:${op}}`, ['count>=0']],
    [`lost{op:${op}}`, ['count==0']],
    [`retried_ms{op:${op}}`, ['max>=0']],
  ]
  return Object.fromEntries(ops.flatMap(bounds))
}

export function tableOf(data: SummaryData, ops: readonly string[]): string[] {
  const row = (cells: readonly (string | number)[]) =>
    String(cells[0]).padEnd(12) +
    cells
      .slice(1)
      .map((cell) => String(cell).padStart(10))
      .join('')
  const lines = ops.map((op) => {
    const counts = ['sent', 'retried', 'lost'].map((name) => figureOf(data, `${name}{op:${op}}`, 'count') ?? 0)
    const times = ['med', 'max'].map((stat) => Math.round(figureOf(data, `retried_ms{op:${op}}`, stat) ?? 0))
    return row([op, ...counts, ...times])
  })
  return [row(['op', 'sent', 'retried', 'lost', 'med ms', 'max ms']), ...lines]
}

function listOf(text = ''): string[] {
  return text.split(',').filter((one) => one !== '')
}
