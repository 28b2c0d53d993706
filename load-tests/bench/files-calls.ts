/** What the rows of files ask of the system, and how bytes are sent. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { api } from '@worlds/testkit/api'
import type { World } from '@worlds/testkit/world'
import type { Stage } from './stage'

export interface Ticket {
  readonly ticket: string
  readonly upload_url: string
  readonly file_id: string
}

export async function newElement(stage: Stage): Promise<[World, string]> {
  const world = await stage.newWorld()
  const made = await own(stage, world).post('/api/v2/character', { name: 'Bearer' })
  return [Object.assign(world, { gateway: stage.gateway }), made.body.id]
}

export function own({ gateway }: Pick<Stage, 'gateway'>, { headers }: World) {
  return api(gateway, { ...headers })
}

export async function newTicket(
  at: Pick<Stage, 'gateway'>,
  world: World,
  element: string,
  size: number,
): Promise<Ticket> {
  const body = { name: 'bytes.txt', kind: 'txt', size }
  const reply = await own(at, world).post(`/api/v2/character/${element}/files`, body)
  if (reply.status !== 201) throw new Error(`no ticket: ${reply.status} ${reply.text}`)
  return reply.body
}

const agent = new Agent({ keepAlive: true })

/** By a client that costs next to nothing: it shares the cores with what is measured. */
export function post(url: string, bytes: Buffer, more: Record<string, string> = {}): Promise<void> {
  const headers = { ...more, 'content-length': bytes.length }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, async (response) => {
      const answer = await text(response).catch(String)
      if (response.statusCode === 201) resolve()
      else reject(new Error(`not stored: ${response.statusCode} ${answer}`))
    })
    sent.on('error', reject).end(bytes)
  })
}

export async function isListed(
  at: Pick<Stage, 'gateway'>,
  world: World,
  element: string,
  id: string,
): Promise<boolean> {
  return (await listed(at, world, element)).some((record) => record.id === id)
}

/** Throws when a minute was not enough. */
export async function allListed(stage: Stage, world: World, element: string, count: number): Promise<void> {
  const latest = performance.now() + 60_000
  while ((await listed(stage, world, element)).length < count) {
    if (performance.now() > latest) throw new Error('an upload was not listed within a minute')
    await sleep(20)
  }
}

export async function listed(at: Pick<Stage, 'gateway'>, world: World, element: string): Promise<{ id: string }[]> {
  return (await own(at, world).get(`/api/v2/character/${element}/files`)).body.data
}
