/** Reads, lists and searches alone. */
import { closeWorlds } from '../lib/auth.ts'
import { anyOf, type Filled, fillWorlds, listTwoPages, readOne, searchByName } from '../lib/operations.ts'
import { arrivals, optionsOf, profileName } from '../lib/profile.ts'
import { type SummaryData, summarize } from '../lib/summary.ts'
import { watchMemory } from '../lib/watch.ts'

export const options = optionsOf({ reads: arrivals(200, 'work') }, ['read', 'list', 'search'])

export function setup(): Filled[] {
  return fillWorlds(Number(__ENV.WORLDS || 4), 2_000)
}

export function work(worlds: Filled[]): void {
  const chance = Math.random()
  const world = anyOf(worlds)
  if (chance < 0.8) readOne(world)
  else if (chance < 0.9) listTwoPages(world)
  else searchByName(world)
}

export const watch = watchMemory

export function teardown(worlds: Filled[]): void {
  closeWorlds(worlds)
}

export function handleSummary(data: SummaryData) {
  return summarize(data, `${profileName}, read-heavy`)
}
