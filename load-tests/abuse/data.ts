/** The world that is read and written: large elements, and elements with many links. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '@worlds/testkit/world'

export interface LargeData {
  /** Locations of 2.4 MB. */
  readonly large: readonly string[]
  /** A location that large zones link to. */
  readonly target: string
  readonly carriers: readonly string[]
  /** An event with 60,000 links. */
  readonly linked: string
  /** A file of it: 2 MB of control characters. */
  readonly file: string
}

const text = 'x'.repeat(2_400_000)

export async function makeLargeData(gateway: string, world: World, scale: number): Promise<LargeData> {
  const post = async (path: string, body: unknown) => {
    const init = { method: 'POST', headers: { ...world.headers }, body: JSON.stringify(body) }
    const reply = await fetch(gateway + path, init)
    const made = (await reply.json()) as { id: string; errors?: boolean; items: { id: string }[] }
    if (!reply.ok || made.errors) throw new Error(`${path}: ${reply.status}`)
    return made
  }
  const make = async (type: string, count: number, fields: object) => {
    const ids: string[] = []
    for (let index = 0; index < count; index += 1)
      ids.push((await post(`/api/v2/${type}`, { name: 'L', ...fields })).id)
    return ids
  }
  const characters: string[] = []
  const stub = { supertype: 's'.repeat(100), image_url: `https://example.org/${'i'.repeat(900)}` }
  for (let batch = 0; batch < 60; batch += 1) {
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      type: 'character',
      element: { name: `Character ${batch}-${index}`, ...stub },
    }))
    characters.push(...(await post('/api/v2/bulk', { items })).items.map(({ id }) => id))
  }
  for (let batch = 0; batch < 20; batch += 1) {
    const items = Array.from({ length: 50 }, (_, index) => {
      const from = (batch * 50 + index) * 55
      return {
        type: 'narrative',
        element: { name: `N${index}`, characters: characters.slice(from % 59_000, (from % 59_000) + 200) },
      }
    })
    await post('/api/v2/bulk', { items })
  }
  const [target = ''] = await make('location', 1, {})
  const count = Math.ceil(230 * scale)
  const large = await make('location', count, { description: text })
  const carriers = await make('zone', Math.max(8, Math.ceil(40 * scale)), { description: text, linked_zones: [] })
  for (const id of carriers) {
    const body = JSON.stringify({ location: target })
    await fetch(`${gateway}/api/v2/zone/${id}`, { method: 'PATCH', headers: { ...world.headers }, body })
  }
  const [linked = ''] = await make('event', 1, { characters })
  return { large, target, carriers, linked, file: await addFile(gateway, world, linked) }
}

async function addFile(gateway: string, world: World, event: string): Promise<string> {
  const path = `${gateway}/api/v2/event/${event}/files`
  const bytes = Buffer.alloc(256 << 10, 1)
  const ticket = { name: 'a.txt', kind: 'txt', size: bytes.length }
  const issued = await fetch(path, { method: 'POST', headers: { ...world.headers }, body: JSON.stringify(ticket) })
  const { ticket: token, upload_url: url } = (await issued.json()) as Record<string, string>
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' }
  const stored = await fetch(String(url), { method: 'POST', headers, body: bytes })
  if (stored.status !== 201) throw new Error(`the file was not stored: ${stored.status}`)
  for (;;) {
    const { data } = (await (await fetch(path, { headers: { ...world.headers } })).json()) as { data: { id: string }[] }
    if (data[0] !== undefined) return data[0].id
    await sleep(100)
  }
}
