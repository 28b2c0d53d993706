/**
 * `npm run abuse`: requests that cost much, one kind after another, against a system with the chart's memory limits,
 * while a well-behaved client goes on. Fails when a process ends, takes more than 80 % of its memory limit or stands
 * still for 250 ms, when a reply exceeds 9 MiB, or when the well-behaved client waits a second (p99) or is refused.
 * `--bounded` runs a smaller form, and prints times without judging them: they are the machine's as much as the
 * system's. `--only TEXT` picks rows by their names.
 */
import { parseArgs } from 'node:util'
import { Bystander, type Sight } from './bystander'
import { Tally } from './client'
import { makeLargeData } from './data'
import { allowedMib, beginObserving, type Observation } from './observe'
import { type AbuseRow, rows } from './rows'
import { startAbused } from './system'

const { values } = parseArgs({
  options: { bounded: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})

const limits = { stallMs: 250, replyBytes: 9 << 20, waitMs: 1_000 }

async function main(): Promise<number> {
  const scale = values.bounded ? 0.12 : 1
  const system = await startAbused((line) => console.log(line))
  let faults = 0
  try {
    const [world, quiet] = [await system.newWorld(), await system.newWorld()]
    const data = await makeLargeData(system.gateway, world, scale)
    const bystander = new Bystander({ gateway: system.gateway, headers: { ...quiet.headers } })
    console.log(heading)
    for (const row of rows.filter(({ name }) => name.includes(values.only))) {
      const tally = new Tally()
      await bystander.look()
      const observed = await beginObserving(system)
      const began = performance.now()
      await row.run({ gateway: system.gateway, world, data, tally, scale })
      const seconds = (performance.now() - began) / 1000
      const [observation, sight] = [await observed(), await bystander.look()]
      const wrong = faultsOf(row, observation, sight, tally)
      faults += wrong.length
      console.log(lineOf(row.name, seconds, observation, sight, tally))
      for (const fault of wrong) console.log(`  FAULT: ${fault}`)
      if (observation.ended.length > 0) break
    }
    await bystander.stop()
  } finally {
    await system.stop()
  }
  console.log(faults === 0 ? 'no faults' : `${faults} faults`)
  return faults === 0 ? 0 : 1
}

function faultsOf({ isUnlimited }: AbuseRow, observation: Observation, sight: Sight, tally: Tally): string[] {
  const faults = observation.ended.map((name) => `${name} has ended`)
  for (const [name, mib] of Object.entries(observation.peakMib)) {
    if (mib > allowedMib) faults.push(`${name} took ${mib.toFixed(0)} MiB, and ${allowedMib.toFixed(0)} are allowed`)
  }
  if (!isUnlimited && tally.largest > limits.replyBytes) faults.push(`a reply of ${tally.largest} bytes`)
  for (const status of ['500', 'ECONNREFUSED']) {
    if (tally.statuses.has(status)) faults.push(`${tally.statuses.get(status)} times ${status}`)
  }
  for (const failure of new Set(sight.failures)) faults.push(`the well-behaved client: ${failure}`)
  if (values.bounded) return faults
  if (observation.stallMs > limits.stallMs)
    faults.push(`${observation.stalled} stood still ${observation.stallMs.toFixed(0)} ms`)
  if (sight.p99Ms > limits.waitMs) faults.push(`the well-behaved client waited ${sight.p99Ms.toFixed(0)} ms (p99)`)
  return faults
}

const heading = [
  'row'.padEnd(42),
  ...['s', 'stall ms', 'p99', 'of', 'gateway', 'element', 'feed', 'file', 'other p99', 'longest', 'reply MiB'],
  'statuses',
].join('  ')

function lineOf(name: string, seconds: number, observation: Observation, sight: Sight, tally: Tally): string {
  const { peakMib, stallMs, p99Ms, stalled } = observation
  const mib = (process: string) => (peakMib[process] ?? 0).toFixed(0).padStart(7)
  return [
    name.padEnd(42),
    seconds.toFixed(1),
    stallMs.toFixed(0).padStart(8),
    p99Ms.toFixed(0).padStart(3),
    stalled.slice(0, 7),
    ...['gateway', 'element', 'change-feed', 'file'].map(mib),
    sight.p99Ms.toFixed(0).padStart(9),
    sight.longestMs.toFixed(0).padStart(7),
    (tally.largest / (1 << 20)).toFixed(2).padStart(9),
    [...tally.statuses].map(([status, count]) => `${status}:${count}`).join(' '),
  ].join('  ')
}

main().then(
  (status) => process.exit(status),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
