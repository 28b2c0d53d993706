/**
 * Runs in a pod: requests at a fixed rate, whatever becomes of them, each tried a second time after a connection error or
 * a 503, as a client of the API should. Prints its counts every second; on SIGUSR2 it ends the load and looks whether
 * everything that was acknowledged is there, once.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { env } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from './audit.mjs'

const gateway = env.GATEWAY_URL
const uploads = env.UPLOAD_URL
/** Many, for a world's calls go to one replica. */
const worldCount = 16
/** Twenty requests a second, and a second one for each upload. */
const cycle =
  'read write read read changes read write read read upload read write read read changes read write read read read'
const everyMs = 50
const attemptMs = 15_000
const pauseMs = 2_000

const keptAlive = new Agent({ keepAlive: true, maxFreeSockets: 32 })
const kinds = ['read', 'changes', 'write', 'upload']
const counts = Object.fromEntries(kinds.map((kind) => [kind, { sent: 0, failedFirst: 0, lost: 0 }]))
const reasons = {}
const open = new Set()
const acknowledged = { elements: [], files: [] }
let sent = 0
let ending = false

function send(method, url, headers, body) {
  return new Promise((resolve, reject) => {
    // Every fourth comes by a connection of its own, as from another client: those are spread anew.
    const agent = Math.random() < 0.25 ? false : keptAlive
    const request = httpRequest(url, { method, headers, agent, signal: AbortSignal.timeout(attemptMs) })
    request.once('error', reject)
    request.once('response', (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.once('error', reject)
      response.once('close', () => {
        if (!response.complete) return reject(Object.assign(new Error('cut off'), { code: 'CUT_OFF' }))
        resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() })
      })
    })
    request.end(body)
  })
}

class Lost extends Error {}

function tell(kind, which, why) {
  const reason = `${kind} ${which}: ${why}`
  reasons[reason] = (reasons[reason] ?? 0) + 1
}

/** Answers the reply of the wanted status, by the second try if need be. */
async function twice(kind, wanted, method, url, headers, body) {
  for (const which of ['first', 'second']) {
    const reply = await send(method, url, headers, body).catch((error) => ({ error }))
    if (reply.status === wanted) return JSON.parse(reply.text)
    const why =
      reply.error === undefined ? `${reply.status} ${reply.text.slice(0, 200)}` : (reply.error.code ?? reply.error.name)
    tell(kind, which, why)
    const mayRepeat = reply.error !== undefined || reply.status === 503
    if (which === 'second' || !mayRepeat) throw new Lost(why)
    counts[kind].failedFirst += 1
    await sleep(Math.max(pauseMs, 1000 * Number(reply.headers?.['retry-after'] ?? 0)))
  }
}

const work = {
  async read({ headers, element }) {
    await twice('read', 200, 'GET', `${gateway}/api/v2/character/${element}`, headers)
  },
  async changes({ headers }) {
    await twice('changes', 200, 'GET', `${gateway}/api/v2/changes?limit=20`, headers)
  },
  async write(world, number) {
    const name = `n${number}`
    const headers = { ...world.headers, 'Idempotency-Key': randomUUID() }
    const made = await twice('write', 201, 'POST', `${gateway}/api/v2/character`, headers, JSON.stringify({ name }))
    acknowledged.elements.push({ world, id: made.id, name })
    world.latest = made.id
  },
  async upload(world, number) {
    const body = `file ${number}`
    const wanted = JSON.stringify({ name: `f${number}.txt`, kind: 'txt', size: body.length })
    const files = `${gateway}/api/v2/character/${world.latest}/files`
    const ticket = await twice('upload', 201, 'POST', files, world.headers, wanted)
    const url = new URL(new URL(ticket.upload_url).pathname, uploads)
    await twice('upload', 201, 'POST', url, { Authorization: `Bearer ${ticket.ticket}` }, body).catch((error) => {
      // The first try had been heard after all: the ticket says so, and the listing will.
      if (!/spent|used/.test(error.message)) throw error
    })
    acknowledged.files.push({ world, id: ticket.file_id })
  },
}

async function runOne(kind, world, number) {
  open.add(number)
  counts[kind].sent += 1
  try {
    await work[kind](world, number)
  } catch (error) {
    counts[kind].lost += 1
    if (!(error instanceof Lost)) tell(kind, 'fault', String(error))
  } finally {
    open.delete(number)
  }
}

async function makeWorld(number) {
  const owner = { Authorization: `Bearer ${env.ACCOUNT_TOKEN}` }
  const body = JSON.stringify({ name: `load ${number}` })
  const { id, key } = await twice('write', 201, 'POST', `${gateway}/api/v2/account/worlds`, owner, body)
  const headers = { 'API-Key': key, 'API-Pin': env.ACCOUNT_PIN }
  const element = JSON.stringify({ name: 'first' })
  const made = await twice('write', 201, 'POST', `${gateway}/api/v2/character`, headers, element)
  return { id, headers, element: made.id, latest: made.id }
}

const readWorld = (world, path) => twice('read', 200, 'GET', `${gateway}/api/v2/${path}`, world.headers)

const say = (line) => console.log(JSON.stringify(line))
const worlds = []
for (let number = 0; number < worldCount; number += 1) worlds.push(await makeWorld(number))
process.on('SIGUSR2', () => {
  ending = true
})
const order = cycle.split(' ')
const ticks = setInterval(() => {
  void runOne(order[sent % order.length], worlds[Math.floor(Math.random() * worlds.length)], sent)
  sent += 1
}, everyMs)
// `ended`: all before this number have an end.
while (!ending) {
  say({ sent, ended: open.size === 0 ? sent : Math.min(...open), counts, reasons })
  await sleep(1_000)
}
clearInterval(ticks)
while (open.size > 0) await sleep(100)
say({ audit: await audit(worlds, acknowledged, readWorld).catch((error) => ({ error: String(error) })) })
setInterval(() => undefined, 60_000)
