/** What each client does in an iteration; how it tries again is told in lib/persistent.ts. */
import { sleep } from 'k6'
import exec from 'k6/execution'
import { Counter, Trend } from 'k6/metrics'
import { bearer } from '../lib/auth.ts'
import { expect } from '../lib/checks.ts'
import { ask, type Reply } from '../lib/client.ts'
import { isElement } from '../lib/data.ts'
import type { Filled } from '../lib/operations.ts'
import { gateways, persist, tell, uploadHosts } from '../lib/persistent.ts'
import { acknowledge } from './audit.ts'

const unkeyedSent = new Counter('unkeyed_sent')
const unkeyedFailed = new Counter('unkeyed_failed')
/** From the upload's answer to the listing. */
const listedMs = new Trend('listed_ms', true)
/** Uploads whose host was killed between putting the file and promising it. Only where hosts are killed are there any. */
const unpromised = new Counter('unpromised')
const hostsAreKilled = __ENV.KILLS === 'yes'
const listedWithinMs = Number.parseInt(__ENV.LISTED_WITHIN || '20', 10) * 1_000

/** How a write without a key may fail: never sent, told to come again, or without an answer, so that nobody knows. */
export const unkeyedEnds = ['refused', '503', 'cut'] as const

/** k6's numbers of errors. */
const [connectionRefused, timedOut] = [1212, 1050]

/** The iteration's number, which is nobody else's in its scenario; its world; and the gateway to begin with. */
function mine(worlds: readonly Filled[]) {
  const n = exec.scenario.iterationInTest
  return { n, world: worlds[n % worlds.length] as Filled, turn: Math.floor(n / worlds.length) }
}

export function reads(worlds: Filled[]): void {
  const { n, world, turn } = mine(worlds)
  const { id, headers, ids } = world
  const kind = Math.floor(turn / gateways.length) % 4
  if (kind === 0) persist({ op: 'list', method: 'GET', turn, path: '/api/v2/character?limit=20', headers })
  else if (kind === 1) {
    // The one that is always membership's to answer: a world's key is known to the gateway for half a minute.
    persist({ op: 'account', method: 'GET', turn, path: `/api/v2/account/worlds/${id}`, headers: bearer() })
  } else {
    const index = n % ids.length
    const found = persist({ op: 'read', method: 'GET', turn, path: `/api/v2/character/${ids[index]}`, headers })
    if (found !== null) expect('an element reads as written', isElement(found.body, index), found.text)
  }
}

/** Of this virtual user, which follows one world: where it is, and the place of the last change it has seen. */
let followed: { world: Filled; cursor: string; last: number } | undefined

export function follow(worlds: Filled[]): void {
  if (followed === undefined) {
    const { world } = mine(worlds)
    followed = { world, cursor: world.cursor, last: world.head }
  }
  const { world, last } = followed
  const path = `/api/v2/changes?limit=200&since=${encodeURIComponent(followed.cursor)}`
  const page = persist({ op: 'feed', method: 'GET', turn: mine(worlds).turn, path, headers: world.headers })
  if (page === null) return
  const places: number[] = page.body.changes.map(({ change_seq }: { change_seq: number }) => change_seq)
  const firstAmiss = places.find((place, index) => place !== last + 1 + index)
  expect('changes come in order, each once', firstAmiss === undefined, { firstAmiss, last })
  followed = { world, cursor: page.body.cursor, last: places[places.length - 1] ?? last }
}

export function write(worlds: Filled[]): void {
  const { n, world, turn } = mine(worlds)
  const headers = { ...world.headers, 'Idempotency-Key': `restarts-${n}` }
  const body = { name: `keyed ${n}`, level: n }
  const made = persist({ op: 'write', method: 'POST', turn, path: '/api/v2/character', headers, body, wanted: [201] })
  if (made === null) return
  acknowledge('keyed')
  const path = `/api/v2/character/${made.body.id}`
  const read = persist({ op: 'read back', method: 'GET', turn, path, headers: world.headers })
  if (read !== null) expect('a write is there once it is answered', read.body.level === n, read.text)
}

export function writeUnkeyed(worlds: Filled[]): void {
  const { n, world, turn } = mine(worlds)
  const [host = '', path, at] = [gateways[turn % gateways.length], '/api/v2/character', Date.now()]
  const body = { name: `unkeyed ${n}` }
  const reply = ask('POST', `${host}${path}`, { op: 'unkeyed', headers: world.headers, body, timeout: '10s' })
  unkeyedSent.add(1)
  for (const end of unkeyedEnds) unkeyedFailed.add(endOf(reply) === end ? 1 : 0, { end })
  if (reply.status === 201) {
    const { headers } = world
    const read = persist({ op: 'read back', method: 'GET', turn, path: `${path}/${reply.body.id}`, headers })
    if (read !== null) expect('a write is there once it is answered', read.body.name === body.name, read.text)
    return
  }
  tell('unkeyed', 'unkeyed', host, path, at, 0, reply)
  expect('a write without a key fails by its connection or with 503', endOf(reply) !== null, reply)
}

/** Null for no failure, and for one that no restart excuses. */
function endOf({ status, errorCode }: Reply): (typeof unkeyedEnds)[number] | null {
  if (status === 503) return '503'
  if (status !== 0 || errorCode === timedOut) return null
  return errorCode === connectionRefused ? 'refused' : 'cut'
}

export function upload(worlds: Filled[]): void {
  const { n, world, turn } = mine(worlds)
  const { headers, ids } = world
  const path = `/api/v2/character/${ids[turn % ids.length]}/files`
  const text = `upload ${n}\n`.repeat(200)
  const body = { name: `upload ${n}.txt`, kind: 'txt', size: text.length }
  const asked = persist({ op: 'ticket', method: 'POST', turn, path, headers, body, wanted: [201] })
  if (asked === null) return
  const { ticket, file_id: id } = asked.body
  // A ticket names one host and is good at each. 401: an earlier try went well, unheard; 409: it still goes on, or its
  // host has died with it, and then a client asks for another ticket.
  const stored = persist({
    ...{ op: 'upload', method: 'POST', turn, hosts: uploadHosts, path: '/v1/upload', body: text },
    ...{ headers: { Authorization: `Bearer ${ticket}` }, wanted: [201, 401], again: [409] },
    finally: hostsAreKilled ? [409] : [],
  })
  unpromised.add(stored?.status === 409 ? 1 : 0)
  if (stored?.status === 409) {
    // Whether it will be listed nobody knows: an element says to the audit that it may be.
    const key = { ...headers, 'Idempotency-Key': `unpromised-${n}` }
    const told = { name: `unpromised ${body.name}` }
    const character = { method: 'POST', path: '/api/v2/character', wanted: [201] }
    persist({ op: 'write', turn, ...character, headers: key, body: told })
    return
  }
  if (stored === null) return
  const isUsed = stored.status === 201 || /ticket_used/.test(stored.text)
  expect('a ticket is refused for nothing but its use', isUsed, stored)
  if (isUsed) acknowledge('upload')
  const answered = Date.now()
  for (;;) {
    const files = persist({ op: 'files', method: 'GET', turn, path, headers })
    const took = Date.now() - answered
    const isListed = files?.body.data.some((file: { id: string }) => file.id === id) === true
    if (isListed) listedMs.add(took)
    if (isListed || took > listedWithinMs) {
      expect('a file is listed in time', isListed, { id, took })
      return
    }
    sleep(0.1)
  }
}
