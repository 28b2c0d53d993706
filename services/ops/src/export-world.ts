import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Clients } from './connection'
import { walkFeed } from './feed'

export async function exportWorld(clients: Clients, world: string, output: Writable): Promise<void> {
  for await (const records of walkFeed(clients, world)) {
    const text = records.map((record) => `${record}\n`).join('')
    if (text !== '' && !output.write(text)) await once(output, 'drain')
  }
}
