/**
 * Bodies as a request wants them shown, until they fill a page. Stubs are read some at a time and serialized once; what
 * does not fit any longer is not built.
 */
import { ClassicView } from '@worlds/domain/classic'
import { invalid, RefusalError } from '@worlds/domain/errors'
import { isPlain, type Presentation, present, shownBytes, stubIds } from '@worlds/domain/presentation'
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
  const forms = bodies.map((body) =>
    request.classic ? new ClassicForm(request.type, worldId, body) : new ExpandedForm(body, presentation),
  )
  return showWithin(forms, stubs, limit)
}

/** A body that is to be shown with stubs. */
interface Form {
  linkedIds(): string[]
  /** Bytes of what `show` gives. */
  bytes(stubs: ReadonlyMap<string, string>): number
  show(stubs: ReadonlyMap<string, string>): string
  /** What is shown where the stubs alone would exceed the limit. */
  showTooLarge(): string
}

async function showWithin(forms: readonly Form[], stubs: Stubs, limit: number): Promise<string[]> {
  const shown: string[] = []
  let used = 0
  for (const form of forms) {
    const fits = await stubs.load(form.linkedIds(), shownLimit)
    const bytes = fits ? form.bytes(stubs.texts) : Number.POSITIVE_INFINITY
    if (shown.length > 0 && used + bytes > limit) break
    shown.push(bytes > shownLimit ? form.showTooLarge() : form.show(stubs.texts))
    used += bytes
    if (used >= limit) break
  }
  return shown
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

  /** Reads those that are missing; false as soon as what the ids name is more than `limit` bytes. */
  async load(ids: readonly string[], limit: number): Promise<boolean> {
    let bytes = 0
    for (let at = 0; at < ids.length; at += stubsAtOnce) {
      const some = ids.slice(at, at + stubsAtOnce)
      await this.#read(some.filter((id) => !this.texts.has(id) && !this.#absent.has(id)))
      for (const id of some) bytes += this.texts.get(id)?.length ?? 0
      if (bytes > limit) return false
    }
    return true
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

class ExpandedForm implements Form {
  constructor(
    private readonly body: string,
    private readonly presentation: Presentation,
  ) {}

  linkedIds(): string[] {
    return stubIds(this.body, this.presentation)
  }

  bytes(stubs: ReadonlyMap<string, string>): number {
    return shownBytes(this.body, this.presentation, stubs)
  }

  show(stubs: ReadonlyMap<string, string>): string {
    return present(this.body, this.presentation, stubs)
  }

  showTooLarge(): never {
    const message = `An element would take more than ${shownLimit} bytes with these links expanded.`
    throw new RefusalError({ ...invalid('expand', message), where: 'query' })
  }
}

class ClassicForm implements Form {
  readonly #view: ClassicView

  constructor(
    type: string,
    private readonly worldId: string,
    body: string,
  ) {
    this.#view = new ClassicView(categoryOf(type), body)
  }

  linkedIds(): string[] {
    return this.#view.linkedIds()
  }

  bytes(stubs: ReadonlyMap<string, string>): number {
    return this.#view.shownBytes(stubs)
  }

  show(stubs: ReadonlyMap<string, string>): string {
    return this.#view.show(this.worldId, stubs)
  }

  /** This dialect has no form without stubs: here they hold the id alone. */
  showTooLarge(): string {
    const ids = this.linkedIds()
    return this.show(new Map(ids.map((id) => [id, `{"id":"${id}"}`])))
  }
}
