import { gone, notFound, type Refusal } from '@worlds/domain/errors'
import { isPlain, type Presentation, present, stubIds } from '@worlds/domain/presentation'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { GetElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/GetElementRequest'
import type { Database } from '@worlds/runtime/postgres'
import { principalOf } from '@worlds/runtime/refusals'
import { type Reader, strictView } from '@worlds/views/reader'
import { refused } from '../domain/intent'
import { readElement, readStubs, wasDeleted } from '../store/read-element'
import { showClassic } from './classic'
import { readAs } from './read-as'
import { isCurrent, reply } from './reply'
import { categoryOf, type Scope } from './scope'

export const getElement =
  (scope: Scope) =>
  (request: GetElementRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const { type, id, as } = request
      const found = await readAs(scope, principal, as, async (reader) => ({
        ...(await readElement(scope.database, principal.world_id, type, id, reader)),
        reader,
      }))
      if (!isCurrent(principal, found)) return { kind: 'ask-again' }
      const { body, reader } = found
      if (body === null) return refused(await missing(scope, request, reader))
      const [shown = ''] = await showAll(scope, request, [body], reader)
      return { kind: 'body', status: 200, body: shown }
    })

/** Who reads as a co-builder or contributor is told that an element was deleted, never that one is hidden (A63). */
async function missing({ database }: Scope, request: GetElementRequest__Output, { member }: Reader): Promise<Refusal> {
  const isTold = request.as !== '' && member !== null && member.role !== 'guest'
  const { world_id: worldId } = principalOf(request)
  return isTold && (await wasDeleted(database, worldId, request.type, request.id)) ? gone() : notFound()
}

/** What asks for bodies, and says how they are shown. */
interface Showing {
  readonly principal: Principal__Output | null
  readonly type: string
  readonly expand: string[]
  readonly fields: string[]
  readonly has_fields: boolean
  readonly classic: boolean
}

/** Bodies as the request wants them shown. */
export function showAll(
  { database }: Pick<Scope, 'database'>,
  request: Showing,
  bodies: readonly string[],
  reader: Reader,
): Promise<readonly string[]> {
  const { world_id: worldId } = principalOf(request)
  if (request.classic) return showClassic(database, worldId, categoryOf(request.type), bodies, reader)
  return presentAll(database, worldId, bodies, presentationOf(request), reader)
}

function presentationOf(request: { expand: string[]; fields: string[]; has_fields: boolean }): Presentation {
  return { expand: request.expand, fields: request.has_fields ? request.fields : null }
}

async function presentAll(
  database: Database,
  worldId: string,
  bodies: readonly string[],
  presentation: Presentation,
  reader: Reader,
): Promise<readonly string[]> {
  if (isPlain(presentation)) return bodies
  const ids = new Set(bodies.flatMap((body) => stubIds(body, presentation)))
  const stubs = await readStubs(database, worldId, [...ids], strictView(reader))
  return bodies.map((body) => present(body, presentation, stubs))
}
