import { scanItems } from '@worlds/domain/json-spans'
import type { ChangesHead__Output } from '@worlds/proto/generated/worlds/changefeed/v1/ChangesHead'
import type { Clients } from './connection'
import { Owner } from './owner'
import { oneTry, RefusedError } from './reply'

/** Every record of a world's feed as the text it has, page by page: numbers keep their spelling. */
export async function* walkFeed(clients: Clients, world: string): AsyncGenerator<string[]> {
  const owner = new Owner(clients, world)
  for (let since = ''; ; ) {
    const { head, records } = await onePage(clients, owner, since)
    yield records
    if (!head.has_more) return
    since = head.cursor
  }
}

async function onePage(
  clients: Clients,
  owner: Owner,
  since: string,
): Promise<{ head: ChangesHead__Output; records: string[] }> {
  const settings = { ...oneTry, affinity: owner.world, repeatable: true }
  const { parts } = await owner.as(async (principal) => {
    const request = { principal, since, limit: 1_000, head: false }
    const parts = await clients.changeFeed.parts('GetChanges', request, settings)
    return { parts, ask_again: parts[0]?.ask_again ?? false }
  })
  const [first] = parts
  if (first?.refusal) throw new RefusedError(first.refusal)
  if (!first?.page) throw new Error('the change feed gave no page')
  const text = Buffer.concat(parts.map(({ records }) => records)).toString()
  return { head: first.page, records: scanItems(`[${text}]`) }
}
