/**
 * Who reads, for statements that are written for a view. Roles and Characters come from the roll,
 * never from memory: a reader that was found before is a guess, and the statement finds nothing
 * unless the guess still holds in its own snapshot. Then the reader is found anew.
 */
import { characterView, fullView, publicView, type Role, type View, viewOf } from '@worlds/domain/view'
import type { Database } from '@worlds/runtime/postgres'
import { LRUCache } from 'lru-cache'
import type { Param } from './view-sql'

export interface ReadingMember {
  readonly id: string
  readonly role: Exclude<Role, 'owner'>
  readonly character: string | null
}

export interface Reader {
  readonly view: View
  /** Null for the owner, for `public` and for a Character. */
  readonly member: ReadingMember | null
  /** The view holds while nothing is hidden in the world. */
  readonly unmarked: boolean
}

export const ownerReader: Reader = { view: fullView, member: null, unmarked: false }
export const publicReader: Reader = { view: publicView, member: null, unmarked: false }

/** What the reader sees wherever else it is looked up: marks may have come since. */
export function strictView({ view, member }: Reader): View {
  return member === null ? view : viewOf(member.role, member.id, member.character)
}

/** For statements that are written for a reader: their text is long, and the same reader asks again and again. */
export function oncePerReader<T>(
  write: (reader: Reader) => T,
  known: readonly (readonly [Reader, T])[] = [],
): (reader: Reader) => T {
  const written = new WeakMap<Reader, T>(known)
  return (reader) => {
    let one = written.get(reader)
    if (one === undefined) {
      one = write(reader)
      written.set(reader, one)
    }
    return one
  }
}

/** Condition on the head row `h`: the reader is still who it was found to be. */
export function readerSql({ member, unmarked }: Reader, param: Param): string {
  if (member === null) return ''
  const still = `and exists (
        select 1 from element.members s -- members_pkey
        where s.world_id = h.world_id and ${memberSql(member, 's', param)})`
  return unmarked ? `${still} and not h.marked` : still
}

/** Condition on the row `alias` of the roll. */
export function memberSql({ id, role, character }: ReadingMember, alias: string, param: Param): string {
  // A Character makes a difference to a guest's view alone.
  const played = role === 'guest' ? ` and ${alias}.character is not distinct from ${param(character)}::uuid` : ''
  return `${alias}.member_id = ${param(id)}::uuid and ${alias}.status = 'active' and ${alias}.role = ${param(role)}::text${played}`
}

const find = {
  name: 'find-reader',
  text: `
    select m.role, m.character, h.marked, e.id
    from element.world_heads h
    left join element.members m -- members_pkey
      on m.world_id = h.world_id and m.member_id = $2::uuid and m.status = 'active' and m.kind <> 'owner'
    left join element.elements e -- elements_pkey
      on e.world_id = h.world_id and e.id = $2::uuid and e.type = 'character'
    where h.world_id = $1::uuid and not h.closed`,
}

/** What a statement found; null when it found no world for its reader. */
interface Found {
  readonly authVersion: number | null
}

/** How often a reader may change while it is being served. */
const rounds = 5

export class Readers {
  readonly #guesses = new LRUCache<string, Reader>({ max: 10_000 })

  constructor(private readonly database: Database) {}

  /** Reads as an active member; null when it is none, or its world is gone. */
  async asMember<T extends Found>(
    worldId: string,
    member: string,
    read: (reader: Reader) => Promise<T>,
  ): Promise<T | null> {
    const guess = this.#guesses.get(keyOf(worldId, member))
    if (guess !== undefined) {
      const found = await read(guess)
      if (found.authVersion !== null) return found
    }
    for (let round = 1; round <= rounds; round += 1) {
      const reader = await this.find(worldId, member)
      if (reader === null || reader.member === null) return null
      const found = await read(reader)
      if (found.authVersion !== null) return found
    }
    throw new Error('a reader changed faster than it could be served')
  }

  /** A member, or a Character of this world; a membership is tried first. Null for neither. */
  async find(worldId: string, id: string): Promise<Reader | null> {
    const [row] = await this.database.rows(find, [worldId, id])
    const [role = null, character = null, marked, element = null] = row ?? []
    if (role === null) {
      this.#guesses.delete(keyOf(worldId, id))
      return element === null ? null : { view: characterView(id), member: null, unmarked: false }
    }
    const member = { id, role: role as ReadingMember['role'], character }
    // With nothing hidden a contributor sees what the owner sees, and is served as fast.
    const unmarked = member.role === 'contributor' && marked === 'f'
    const reader = { view: unmarked ? fullView : viewOf(member.role, id, character), member, unmarked }
    this.#guesses.set(keyOf(worldId, id), reader)
    return reader
  }
}

function keyOf(worldId: string, member: string): string {
  return `${worldId}/${member}`
}
