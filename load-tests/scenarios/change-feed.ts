/** Followers of one world's feed while it is written to: each of them sees every change once, and in order. */
import { closeWorlds } from '../lib/auth.ts'
import { expect, expectServed } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import { elementOf, freshKey } from '../lib/data.ts'
import { type Follower, followToHead, newFollower } from '../lib/follower.ts'
import { type Filled, fillWorlds } from '../lib/operations.ts'
import { arrivals, optionsOf, profileName } from '../lib/profile.ts'
import { type SummaryData, summarize } from '../lib/summary.ts'
import { watchMemory } from '../lib/watch.ts'

/** They take turns: each asks as often as all of them do, divided by how many they are. */
const followers = Number(__ENV.FOLLOWERS || 40)

export const options = optionsOf({ writes: arrivals(40, 'write'), followers: arrivals(80, 'follow', followers) }, [
  'write',
  'feed',
])

/** Every virtual user is a follower of its own. */
let follower: Follower | undefined

export function setup(): Filled {
  const [world] = fillWorlds(1, 100) as [Filled]
  return world
}

export function write({ headers }: Filled): void {
  const keyed = { ...headers, 'Idempotency-Key': freshKey() }
  const body = elementOf(Math.floor(Math.random() * 1e9))
  expectServed('write', ask('POST', '/api/v2/character', { op: 'write', headers: keyed, body }), 201)
}

export function follow(world: Filled): void {
  follower ??= newFollower(world)
  followToHead(world, follower, true)
}

export const watch = watchMemory

/** One who comes last of all sees what the others saw. */
export function teardown(world: Filled): void {
  const last = newFollower(world)
  followToHead(world, last, true)
  const tip = ask('GET', '/api/v2/changes?head=true', { op: 'feed', headers: world.headers })
  expect('a follower ends at the head', tip.body.head === last.last, [tip.body.head, last.last])
  expect('as many changes as the head has moved', last.seen === last.last - world.head, last.seen)
  closeWorlds([world])
}

export function handleSummary(data: SummaryData) {
  return summarize(data, `${profileName}, change-feed`)
}
