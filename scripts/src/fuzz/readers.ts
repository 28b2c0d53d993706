import { api } from '@worlds/testkit/api'
import { addMember, mintReadKey } from '@worlds/testkit/members'
import type { System } from '@worlds/testkit/system'
import { newWorld, type World } from '@worlds/testkit/world'
import { elementPaths, withOwnIds } from './document'

export const readers = ['owner', 'contributor', 'guest', 'read-key'] as const

export type Reader = (typeof readers)[number]

type Headers = Readonly<Record<string, string>>

export interface Stage {
  /** Of every request that the reader makes. */
  readonly headers: Headers
  /** Names what is in the reader's world. */
  readonly document: string
}

/**
 * A world for one reader, so that what it does is nothing to another. The elements that the document's paths name are in
 * it, every other one made by the reader itself.
 */
export async function stageOf(system: System, reader: Reader, text: string): Promise<Stage> {
  const world = await newWorld(system)
  const owner = { ...world.headers, Authorization: `Bearer ${world.token}` }
  const headers = reader === 'owner' ? owner : await headersOf(system, reader, world)
  const document = withOwnIds(text, world.world)
  const makers = reader === 'read-key' ? [owner] : [owner, headers]
  for (const [index, path] of elementPaths(document).entries()) {
    const { status, text } = await api(system.gateway, makers[index % makers.length]).put(path, { name: 'Someone' })
    if (status !== 201) throw new Error(`PUT ${path} as ${reader}: ${status} ${text}`)
  }
  return { headers, document }
}

async function headersOf(system: System, reader: Exclude<Reader, 'owner'>, world: World): Promise<Headers> {
  if (reader === 'read-key') return { 'API-Key': await mintReadKey(system, world.world, world.token) }
  const member = await addMember(system, world, reader)
  return { ...member.headers, Authorization: `Bearer ${member.token}` }
}
