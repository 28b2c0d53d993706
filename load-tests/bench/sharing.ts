/**
 * What a view costs: a contributor beside the owner, a guest in a small and in a large world of
 * which it sees a tenth, and writes that change views. Ratios within the system itself.
 */
import { randomUUID } from 'node:crypto'
import type { Member } from '@worlds/testkit/members'
import type { World } from '@worlds/testkit/world'
import { elementOf } from './elements'
import { type Figures, type Load, measure, median } from './measure'
import type { Stage } from './stage'

interface Shared {
  readonly world: World
  readonly contributor: Member
  readonly guest: Member
  readonly characters: readonly string[]
  readonly events: readonly string[]
}

export interface SharingResult {
  readonly name: string
  readonly ratio: number
  readonly text: string
}

interface Comparison {
  readonly name: string
  readonly bar: string
  readonly by: 'rate' | 'p50'
  readonly base: Load
  readonly subject: Load
}

export async function runSharing(
  stage: Stage,
  large: number,
  seconds: number,
  turns: number,
): Promise<SharingResult[]> {
  const results: SharingResult[] = []
  const compare = async (rows: readonly Comparison[]) => {
    for (const row of rows) {
      const result = await inTurns(stage, row, turns)
      console.log(result.text)
      results.push(result)
    }
  }
  const small = await share(stage, 10_000)
  await compare(contributorRows(stage, small, 'nothing hidden', '>= 0.95', seconds))
  const hidden = small.characters.filter((_, index) => index % 100 === 7)
  results.push(await timed(`hide, world of 10000`, hidden, (id) => hide(stage, small, id)))
  await compare(contributorRows(stage, small, '1 % hidden', '>= 0.7', seconds))

  const big = await share(stage, large)
  const some = big.characters.slice(0, hidden.length)
  results.push(await timed(`hide, world of ${large}`, some, (id) => hide(stage, big, id)))
  await compare(guestRows(stage, small, big, seconds))
  for (const shared of [small, big]) {
    const roles = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 'guest' : 'contributor'))
    const change = (role: 'guest' | 'contributor') => stage.setRole(shared.world, shared.contributor.membership, role)
    results.push(await timed(`role change, ${shared === small ? 10_000 : large}`, roles, change as never))
  }
  return results
}

/** Nine tenths are characters, each with three friends; one tenth are events that name the guest's Character. */
async function share(stage: Stage, count: number): Promise<Shared> {
  const world = await stage.newWorld()
  const contributor = await stage.addMember(world, 'contributor')
  const guest = await stage.addMember(world, 'guest')
  const characters: string[] = []
  const events: string[] = []
  for (let from = 0; from < count; from += 1000) {
    const items = Array.from({ length: 1000 }, (_, index) => {
      const id = randomUUID()
      if (index % 10 === 0) {
        events.push(id)
        return { type: 'event', element: { id, name: `Event ${from + index}`, characters: [guest.character] } }
      }
      const friends = characters.slice(-3)
      characters.push(id)
      return { type: 'character', element: { ...elementOf(from + index), id, friends } }
    })
    const body = JSON.stringify({ items })
    const reply = await fetch(`${stage.gateway}/api/v2/bulk`, { method: 'POST', headers: { ...world.headers }, body })
    if (!reply.ok) throw new Error(`the world could not be filled: ${reply.status} ${await reply.text()}`)
  }
  await stage.database.query('vacuum analyze')
  return { world, contributor, guest, characters, events }
}

const loads = (stage: Stage, seconds: number, headers: object) => {
  const common = { headers: { ...headers } as Record<string, string>, seconds }
  return {
    one: (type: string, ids: readonly string[]): Load => ({
      ...common,
      url: stage.gateway,
      connections: 32,
      requests: ids.slice(0, 500).map((id) => ({ path: `/api/v2/${type}/${id}` })),
    }),
    list: (type: string): Load => ({ ...common, url: `${stage.gateway}/api/v2/${type}?limit=100`, connections: 16 }),
    feed: (): Load => ({ ...common, url: `${stage.gateway}/api/v2/changes?limit=100`, connections: 16 }),
  }
}

function contributorRows(stage: Stage, shared: Shared, state: string, bar: string, seconds: number): Comparison[] {
  const owner = loads(stage, seconds, shared.world.headers)
  const member = loads(stage, seconds, shared.contributor.headers)
  // Hidden ones answer 404, which is no reading.
  const ids = shared.characters.filter((_, index) => index % 100 !== 7)
  const row = (work: string, base: Load, subject: Load): Comparison => {
    return { name: `contributor, ${state}: ${work}`, bar, by: 'rate', base, subject }
  }
  return [
    row('GET one', owner.one('character', ids), member.one('character', ids)),
    row('list 100', owner.list('character'), member.list('character')),
    row('feed page', owner.feed(), member.feed()),
  ]
}

function guestRows(stage: Stage, small: Shared, big: Shared, seconds: number): Comparison[] {
  const inSmall = loads(stage, seconds, small.guest.headers)
  const inBig = loads(stage, seconds, big.guest.headers)
  const row = (work: string, base: Load, subject: Load): Comparison => {
    return { name: `guest, large over small: ${work}`, bar: '<= 1.3', by: 'p50', base, subject }
  }
  return [
    row('GET one', inSmall.one('event', small.events), inBig.one('event', big.events)),
    row('list 100', inSmall.list('event'), inBig.list('event')),
    row('feed page', inSmall.feed(), inBig.feed()),
  ]
}

async function inTurns(
  stage: Stage,
  { name, bar, by, base, subject }: Comparison,
  turns: number,
): Promise<SharingResult> {
  const a: Figures[] = []
  const b: Figures[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    a.push(await measure(base, stage.system))
    b.push(await measure(subject, stage.system))
  }
  const [before, after] = [median(a), median(b)]
  const ratio = by === 'rate' ? after.perSecond / before.perSecond : after.p50 / Math.max(before.p50, 1)
  const figures = ({ perSecond, p50, p99, cpu }: Figures) => {
    const shares = Object.entries(cpu).flatMap(([process, ms]) => (ms < 0.01 ? [] : `${process} ${ms.toFixed(2)}`))
    return `${perSecond.toFixed(0)}/s p50 ${p50} p99 ${p99} (${shares.join(' ')})`
  }
  const text = `${name.padEnd(44)} ${figures(before)} | ${figures(after)}  ${ratio.toFixed(2)}  ${bar}`
  return { name, ratio, text }
}

/** One after another; the median in milliseconds. */
async function timed<T>(
  name: string,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<SharingResult> {
  const times: number[] = []
  for (const item of items) {
    const started = performance.now()
    await work(item)
    times.push(performance.now() - started)
  }
  times.sort((x, y) => x - y)
  const ratio = times[Math.floor(times.length / 2)] ?? 0
  const text = `${name.padEnd(44)} ${ratio.toFixed(1)} ms`
  console.log(text)
  return { name, ratio, text }
}

async function hide(stage: Stage, { world }: Shared, id: string): Promise<void> {
  const url = `${stage.gateway}/api/v2/character/${id}/hidden`
  const reply = await fetch(url, { method: 'PUT', headers: { ...world.headers } })
  if (reply.status !== 204) throw new Error(`not hidden: ${reply.status}`)
}
