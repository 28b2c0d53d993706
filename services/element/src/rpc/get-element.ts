import { notFound } from '@worlds/domain/errors'
import { isPlain, type Presentation, present, stubIds } from '@worlds/domain/presentation'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { GetElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/GetElementRequest'
import type { Database } from '@worlds/runtime/postgres'
import { refused } from '../domain/intent'
import { readElement, readStubs } from '../store/read-element'
import { isCurrent, principalOf, reply } from './reply'
import type { Scope } from './scope'
import { viewOfRequest } from './view-of-request'

export const getElement =
  ({ database }: Scope) =>
  (request: GetElementRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const view = await viewOfRequest(database, principal.world_id, request.as)
      const found = await readElement(database, principal.world_id, request.type, request.id, view)
      if (!isCurrent(principal, found)) return { kind: 'ask-again' }
      if (found.body === null) return refused(notFound())
      const [body = ''] = await presentAll(database, principal.world_id, [found.body], presentationOf(request))
      return { kind: 'body', status: 200, body }
    })

export function presentationOf(request: { expand: string[]; fields: string[]; has_fields: boolean }): Presentation {
  return { expand: request.expand, fields: request.has_fields ? request.fields : null }
}

/** Bodies as a reader asked to see them. */
export async function presentAll(
  database: Database,
  worldId: string,
  bodies: readonly string[],
  presentation: Presentation,
): Promise<readonly string[]> {
  if (isPlain(presentation)) return bodies
  const ids = new Set(bodies.flatMap((body) => stubIds(body, presentation)))
  const stubs = await readStubs(database, worldId, [...ids])
  return bodies.map((body) => present(body, presentation, stubs))
}
