/** A client that keeps a copy of a world by its feed alone, as the contract tells it to. */
import type { Api } from '@worlds/testkit/api'
import { fields, type Type } from './model'

export type Body = Record<string, unknown> & { readonly id: string; readonly type: Type }

interface Change {
  readonly op: 'upsert' | 'delete'
  readonly id: string
  readonly reason?: string
  readonly element?: Body
}

export class Follower {
  readonly copy = new Map<string, Body>()
  /** Kept after a change of the role though the new walk did not name them: they may be true or not. */
  readonly loose = new Set<string>()
  resyncs = 0
  records = 0
  #since = '0'
  #complete = false

  constructor(private readonly api: Api) {}

  /** Reads up to `pages` pages; true once the copy stands at the head. */
  async poll(limit: number, pages: number): Promise<boolean> {
    for (let page = 0; page < pages; page += 1) {
      const reply = await this.api.get(`/api/v2/changes?since=${encodeURIComponent(this.#since)}&limit=${limit}`)
      if (reply.status === 409) {
        this.#restart(reply.body)
        continue
      }
      if (reply.status !== 200) throw new Error(`a feed was refused: ${reply.status} ${reply.text}`)
      for (const change of reply.body.changes as Change[]) this.#fold(change)
      this.#since = reply.body.cursor
      this.#complete = !reply.body.has_more
      if (this.#complete) return true
    }
    return false
  }

  /** `view`: what the new walk does not name is gone. `role`: it may stay (L269). */
  #restart({ error, reason }: { error: { code: string; reason: string }; reason: string }): void {
    if (error.code !== 'resync_required' || error.reason !== reason) throw new Error(`not a resync: ${reason}`)
    this.resyncs += 1
    this.#since = '0'
    if (reason === 'role') for (const id of this.copy.keys()) this.loose.add(id)
    else {
      this.copy.clear()
      this.loose.clear()
    }
  }

  #fold({ op, id, element, reason }: Change): void {
    this.records += 1
    this.loose.delete(id)
    if (op === 'upsert' && element !== undefined) {
      this.copy.set(id, element)
      return
    }
    this.copy.delete(id)
    // Carriers of what is hidden are not sent again: who drops it drops the links to it.
    if (reason === 'hidden') for (const body of this.copy.values()) unlink(body, id)
  }
}

function unlink(body: Body, id: string): void {
  for (const [field, { multi }] of Object.entries(fields[body.type] ?? {})) {
    const value = body[field]
    if (multi) body[field] = (value as string[]).filter((other) => other !== id)
    else if (value === id) {
      body[field] = null
      if (field === 'element_id') body.element_type = ''
    }
  }
}
