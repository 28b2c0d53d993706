/**
 * Bodies as a request wants them shown, until they fill a page. Stubs are read some at a time and serialized once; what
 * does not fit any longer is not built.
 */
import { ClassicView } from '@worlds/domain/classic'
import { invalid, RefusalError } from '@worlds/domain/errors'
import { isPlain, type Presentation, present, stubIds } from '@worlds/domain/presentation'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import { cutPage } from '@worlds/runtime/page'
import type { Database } from '@worlds/runtime/postgres'
import { principalOf } from '@worlds/runtime/refusals'
import { type Reader, strictView } from '@worlds/views/reader'
import { readStubs } from '../store/read-element'
import { categoryOf } from './scope'

/** What asks for bodies, and says how they are shown. */
export interface Showing {
  readonly principal: Principal__Output | null
  readonly type: string
  readonly expand: string[]
  readonly fields: string[]
  readonly has_fields: boolean
  readonly classic: boolean
}

/** Bytes that one element may be shown in, its stubs included. */
export const shownLimit = 8 << 20

/** The first of the bodies as they are shown: as many as fit into `limit` bytes, and one at least. */
export async function showAll(
  database: Database,
  request: Showing,
  bodies: readonly string[],
  reader: Reader,
  limit = shownLimit,
): Promise<readonly string[]> {
  const presentation = { expand: request.expand, fields: request.has_fields ? request.fields : null }
  if (!request.classic && isPlain(presentation)) return limit < shownLimit ? firstWithin(bodies, limit) : bodies
  const { world_id: worldId } = principalOf(request)
  const stubs = new Stubs(database, worldId, reader)
  const formOf = (body: string) =>
    request.classic ? classicForm(request.type, worldId, body) : expandedForm(body, presentation)
  return showWithin(mapped(bodies, formOf), stubs, limit)
}

/** A body that is to be shown with stubs. */
interface Form {
  readonly body: string
  readonly linkedIds: readonly string[]
  show(stubs: ReadonlyMap<string, string>): string
  /** What is shown where the stubs alone would exceed the limit. */
  showTooLarge(): string
}

async function showWithin(forms: Iterable<Form>, stubs: Stubs, limit: number): Promise<string[]> {
  const shown: string[] = []
  let used = 0
  for (const group of groupsOf(forms)) {
    // Of one that links to more than is read at once, no more is read than fits.
    if (group.length > 1) await stubs.load(group.flatMap(({ linkedIds }) => linkedIds))
    for (const form of group) {
      const bytes = Buffer.byteLength(form.body) + (await stubs.load(form.linkedIds, shownLimit))
      if (shown.length > 0 && used + bytes > limit) return shown
      shown.push(bytes > shownLimit ? form.showTooLarge() : form.show(stubs.texts))
      used += bytes
      if (used >= limit) return shown
    }
  }
  return shown
}

/** Bodies whose stubs are read together. */
function* groupsOf(forms: Iterable<Form>): Iterable<Form[]> {
  let group: Form[] = []
  let ids = 0
  for (const form of forms) {
    if (group.length > 0 && ids + form.linkedIds.length > stubsAtOnce) {
      yield group
      group = []
      ids = 0
    }
    group.push(form)
    ids += form.linkedIds.length
  }
  if (group.length > 0) yield group
}

function firstWithin(bodies: readonly string[], limit: number): readonly string[] {
  const sized = bodies.map((body) => ({ size: Buffer.byteLength(body) }))
  return bodies.slice(0, cutPage(sized, bodies.length, limit).items.length)
}

/** Stubs that are asked for at once. */
const stubsAtOnce = 2_000

/** Stubs of a page by id: each is read and serialized once. */
class Stubs {
  readonly texts = new Map<string, string>()
  readonly #absent = new Set<string>()

  constructor(
    private readonly database: Database,
    private readonly worldId: string,
    private readonly reader: Reader,
  ) {}

  /** Reads those that are missing. Returns the bytes of them all, or of the first that exceed `limit`. */
  async load(ids: readonly string[], limit = Number.POSITIVE_INFINITY): Promise<number> {
    let bytes = 0
    for (let at = 0; at < ids.length && bytes <= limit; at += stubsAtOnce) {
      const some = ids.slice(at, at + stubsAtOnce)
      const missing = some.filter((id) => !this.texts.has(id) && !this.#absent.has(id))
      if (missing.length > 0) await this.#read([...new Set(missing)])
      for (const id of some) bytes += Buffer.byteLength(this.texts.get(id) ?? '')
    }
    return bytes
  }

  async #read(ids: readonly string[]): Promise<void> {
    const found = await readStubs(this.database, this.worldId, ids, strictView(this.reader))
    for (const id of ids) {
      const text = found.get(id)
      if (text === undefined) this.#absent.add(id)
      else this.texts.set(id, text)
    }
  }
}

function expandedForm(body: string, presentation: Presentation): Form {
  return {
    body,
    linkedIds: stubIds(body, presentation),
    show: (stubs) => present(body, presentation, stubs),
    showTooLarge() {
      const message = `An element would take more than ${shownLimit} bytes with these links expanded.`
      throw new RefusalError({ ...invalid('expand', message), where: 'query' })
    },
  }
}

function classicForm(type: string, worldId: string, body: string): Form {
  const view = new ClassicView(categoryOf(type), body)
  const linkedIds = view.linkedIds()
  return {
    body,
    linkedIds,
    show: (stubs) => view.show(worldId, stubs),
    // This dialect has no form without stubs: here they hold the id alone.
    showTooLarge: () => view.show(worldId, new Map(linkedIds.map((id) => [id, `{"id":"${id}"}`]))),
  }
}

/** One after another: what does not fit into a page is not looked into. */
function* mapped<T, R>(items: readonly T[], map: (item: T) => R): Iterable<R> {
  for (const item of items) yield map(item)
}
