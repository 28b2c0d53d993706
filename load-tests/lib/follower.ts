import { expect, expectServed } from './checks.ts'
import { ask } from './client.ts'
import type { Filled } from './operations.ts'

export interface Follower {
  cursor: string
  /** The place of the last change it has seen. */
  last: number
  seen: number
}

export function newFollower({ cursor, head }: Filled): Follower {
  return { cursor, last: head, seen: 0 }
}

/**
 * Pages on to the head. Where nothing but creations goes on, changes come in order without a gap; where elements change
 * as well, a change gives its earlier place up, and the order is all that is left to look at.
 */
export function followToHead({ headers }: Filled, follower: Follower, hasOnlyCreations: boolean): void {
  for (let more = true; more; ) {
    const since = encodeURIComponent(follower.cursor)
    const reply = ask('GET', `/api/v2/changes?limit=500&since=${since}`, { op: 'feed', headers })
    if (!expectServed('feed', reply, 200)) return
    const places: number[] = reply.body.changes.map(({ change_seq }: { change_seq: number }) => change_seq)
    const follows = (place: number, index: number) => {
      const before = places[index - 1] ?? follower.last
      return hasOnlyCreations ? place === before + 1 : place > before
    }
    const firstAmiss = places.find((place, index) => !follows(place, index))
    expect('changes come in order, each once', firstAmiss === undefined, { firstAmiss, after: follower.last })
    follower.last = places[places.length - 1] ?? follower.last
    follower.seen += places.length
    follower.cursor = reply.body.cursor
    more = reply.body.has_more
  }
}
