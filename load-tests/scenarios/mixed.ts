/** What clients do on an ordinary day: mostly they read, some write, some follow. */
import { closeWorlds } from '../lib/auth.ts'
import { type Follower, followToHead, newFollower } from '../lib/follower.ts'
import {
  anyOf,
  createOne,
  type Filled,
  fillWorlds,
  listTwoPages,
  patchOne,
  readOne,
  searchByName,
} from '../lib/operations.ts'
import { arrivals, optionsOf, profileName } from '../lib/profile.ts'
import { type SummaryData, summarize } from '../lib/summary.ts'
import { watchMemory } from '../lib/watch.ts'

export const options = optionsOf({ mixed: arrivals(100, 'work') }, [
  ...['read', 'list', 'search', 'write', 'replay', 'patch', 'feed'],
])

/** Up to which part of all requests each is meant. */
const parts: readonly (readonly [upTo: number, work: (world: Filled) => void])[] = [
  [0.5, readOne],
  [0.65, listTwoPages],
  [0.75, searchByName],
  [0.87, createOne],
  [0.92, patchOne],
  [1, follow],
]

/** Of this virtual user, by world. */
const followers = new Map<string, Follower>()

export function setup(): Filled[] {
  return fillWorlds(Number(__ENV.WORLDS || 4), 500)
}

export function work(worlds: Filled[]): void {
  const chance = Math.random()
  const [, chosen = readOne] = parts.find(([upTo]) => chance < upTo) ?? []
  chosen(anyOf(worlds))
}

export const watch = watchMemory

export function teardown(worlds: Filled[]): void {
  closeWorlds(worlds)
}

export function handleSummary(data: SummaryData) {
  return summarize(data, `${profileName}, mixed`)
}

function follow(world: Filled): void {
  const follower = followers.get(world.headers['API-Key'] ?? '') ?? newFollower(world)
  followers.set(world.headers['API-Key'] ?? '', follower)
  followToHead(world, follower, false)
}
