/**
 * A world and what its readers see of it, as plainly as the contract can be put: no database, no
 * batches, nothing of the product's own code. What a command answers, and what every reader then
 * sees, is held against the service.
 */
export type Role = 'owner' | 'co_builder' | 'contributor' | 'guest'
export type Type = 'character' | 'narrative' | 'location' | 'pin'

/** Link fields of the categories that the model writes; a pin's link is one field here. */
export const fields: Record<Type, Record<string, { target: Type; multi: boolean }>> = {
  character: { friends: { target: 'character', multi: true }, location: { target: 'location', multi: false } },
  narrative: {
    characters: { target: 'character', multi: true },
    narrator: { target: 'character', multi: false },
    parent_narrative: { target: 'narrative', multi: false },
  },
  location: {},
  pin: { element_id: { target: 'character', multi: false } },
}

export type Links = Record<string, string[]>

export interface ModelElement {
  readonly id: string
  readonly type: Type
  readonly createdBy: string | null
  readonly links: Links
}

export interface Reader {
  /** Membership; null for the owner. */
  readonly id: string | null
  readonly kind: 'owner' | 'person' | 'agent'
  readonly canWrite: boolean
  role: Role
  character: string | null
  status: 'active' | 'removed'
}

export interface Item {
  readonly type: Type
  readonly id: string
  readonly links: Links
}

export class Model {
  readonly elements = new Map<string, ModelElement>()
  readonly hidden = new Set<string>()
  readonly readers: Reader[] = []

  isSeen(reader: Reader, id: string): boolean {
    const element = this.elements.get(id)
    if (element === undefined) return false
    if (reader.role === 'owner' || reader.role === 'co_builder') return true
    if (element.createdBy === reader.id) return true
    if (this.hidden.has(id)) return false
    if (reader.role === 'contributor' || this.readers.some(({ character }) => character === id)) return true
    return reader.character !== null && (element.links.characters ?? []).includes(reader.character)
  }

  /** What the reader reads, by id. */
  view(reader: Reader): Map<string, ModelElement> {
    const seen = [...this.elements.values()].filter(({ id }) => this.isSeen(reader, id))
    return new Map(
      seen.map((element) => {
        const links = Object.entries(element.links).map(([field, ids]) => [
          field,
          ids.filter((id) => this.isSeen(reader, id)),
        ])
        return [element.id, { ...element, links: Object.fromEntries(links) }]
      }),
    )
  }

  characterSeen(reader: Reader, character: string | null): string | null {
    return character !== null && this.isSeen(reader, character) ? character : null
  }

  post(by: Reader, item: Item): number {
    if (this.elements.has(item.id)) return this.isSeen(by, item.id) ? 409 : 404
    return this.#store(by, item, 201)
  }

  put(by: Reader, item: Item): number {
    const fault = this.#heldFault(by, item)
    if (fault !== null) return fault
    return this.#store(by, item, this.elements.has(item.id) ? 200 : 201)
  }

  patch(by: Reader, { type, id, links }: Item): number {
    const fault = this.#changeFault(by, type, id)
    if (fault !== null) return fault
    if (this.#hasBadLink(by, { type, id, links })) return 400
    this.#keep(by, id, { ...this.elements.get(id)?.links, ...links })
    return 200
  }

  editLinks(by: Reader, type: Type, id: string, field: string, add: string[], remove: string[]): number {
    const fault = this.#changeFault(by, type, id)
    if (fault !== null) return fault
    if (this.#hasBadLink(by, { type, id, links: { [field]: add } })) return 400
    const stored = this.elements.get(id)?.links[field] ?? []
    const gone = remove.filter((other) => this.isSeen(by, other))
    const merged = [...new Set([...stored.filter((other) => !gone.includes(other)), ...add])]
    this.#set(id, { ...this.elements.get(id)?.links, [field]: merged })
    return 200
  }

  delete(by: Reader, type: Type, id: string): number {
    const element = this.elements.get(id)
    if (element?.type !== type || !this.isSeen(by, id)) return 204
    if (!this.#isAuthor(by, id)) return 403
    this.elements.delete(id)
    this.hidden.delete(id)
    for (const carrier of this.elements.values()) {
      for (const ids of Object.values(carrier.links)) while (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
    }
    for (const reader of this.readers) if (reader.character === id) reader.character = null
    return 204
  }

  setHidden(by: Reader, type: Type, id: string, hidden: boolean): number {
    if (by.role !== 'owner' && by.role !== 'co_builder') return 403
    if (this.elements.get(id)?.type !== type) return 404
    if (hidden) this.hidden.add(id)
    else this.hidden.delete(id)
    return 204
  }

  /** Statuses of the slots; items have different ids. */
  bulk(by: Reader, items: readonly Item[]): number[] {
    const faults = items.map((item) => {
      const fault = this.#heldFault(by, item)
      return fault === 409 ? 422 : fault
    })
    for (let failed = true; failed; ) {
      failed = false
      const surviving = items.filter((_, index) => faults[index] === null)
      items.forEach((item, index) => {
        if (faults[index] !== null || !this.#hasBadLink(by, item, surviving)) return
        faults[index] = 400
        failed = true
      })
    }
    const survivors = items.filter((_, index) => faults[index] === null)
    return items.map((item, index) => {
      const fault = faults[index] ?? null
      if (fault !== null) return fault
      return this.#store(by, item, this.elements.has(item.id) ? 200 : 201, survivors)
    })
  }

  setRole(reader: Reader, role: Role): void {
    const isOwn = reader.character !== null && this.elements.get(reader.character)?.createdBy === reader.id
    if (role === 'guest' && reader.role !== 'guest' && !isOwn) reader.character = null
    reader.role = role
  }

  setCharacter(reader: Reader, character: string | null): number {
    if (character !== null && this.elements.get(character)?.type !== 'character') return 400
    // The owner may be whom it likes; others cannot be given who is hidden.
    if (character !== null && reader.role !== 'owner' && this.hidden.has(character)) return 422
    reader.character = character
    return 200
  }

  #heldFault(by: Reader, { type, id }: Item): number | null {
    const current = this.elements.get(id)
    if (current === undefined) return null
    if (!this.isSeen(by, id)) return 404
    if (current.type !== type) return 409
    return this.#isAuthor(by, id) ? null : 403
  }

  #changeFault(by: Reader, type: Type, id: string): number | null {
    if (this.elements.get(id)?.type !== type || !this.isSeen(by, id)) return 404
    return this.#isAuthor(by, id) ? null : 403
  }

  #isAuthor(by: Reader, id: string): boolean {
    return by.role === 'owner' || by.role === 'co_builder' || this.elements.get(id)?.createdBy === by.id
  }

  #hasBadLink(by: Reader, { type, id, links }: Item, others: readonly Item[] = []): boolean {
    const beside = [...others, ...(this.elements.has(id) ? [] : [{ id, type }])]
    return Object.entries(links).some(([field, ids]) =>
      ids.some((target) => {
        const wanted = fields[type][field]?.target
        const isThere = this.isSeen(by, target) && this.elements.get(target)?.type === wanted
        return !isThere && !beside.some((other) => other.id === target && other.type === wanted)
      }),
    )
  }

  #store(by: Reader, { type, id, links }: Item, status: number, others: readonly Item[] = []): number {
    if (others.length === 0 && this.#hasBadLink(by, { type, id, links })) return 400
    const createdBy = this.elements.get(id)?.createdBy ?? (status === 201 ? by.id : null)
    const before = this.elements.get(id)
    this.elements.set(id, { id, type, createdBy, links: before?.links ?? {} })
    this.#keep(by, id, links, others)
    return status
  }

  /** Links that the writer did not see stay, whatever it sent. */
  #keep(by: Reader, id: string, links: Links, others: readonly Item[] = []): void {
    const element = this.elements.get(id) as ModelElement
    const isKnown = (other: string) => this.isSeen(by, other) || others.some((item) => item.id === other)
    const merged = Object.entries(fields[element.type]).map(([field, { multi }]) => {
      const sent = links[field] ?? []
      const unseen = (element.links[field] ?? []).filter((other) => !isKnown(other))
      return [field, multi || sent.length === 0 ? [...new Set([...sent, ...unseen])] : sent]
    })
    this.#set(id, Object.fromEntries(merged))
  }

  #set(id: string, links: Links): void {
    const copies = Object.entries(links).map(([field, ids]) => [field, [...ids]])
    this.elements.set(id, { ...(this.elements.get(id) as ModelElement), links: Object.fromEntries(copies) })
  }
}
