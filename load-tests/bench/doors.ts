/** What the other doors cost, beside the current dialect of the same system; and search in a small and a large world. */

import type { World } from '@worlds/testkit/world'
import { type Figures, type Load, measure, median } from './measure'
import type { Stage } from './stage'

export interface DoorResult {
  readonly name: string
  readonly ratio: number
  readonly text: string
}

interface Comparison {
  readonly name: string
  readonly bar: string
  readonly by: 'rate' | 'p99'
  readonly base: Load
  readonly subject: Load
}

export async function runDoors(stage: Stage, large: number, seconds: number, turns: number): Promise<DoorResult[]> {
  const results: DoorResult[] = []
  const small = await newNamedWorld(stage, 10_000)
  const big = await newNamedWorld(stage, large)
  await stage.database.query('vacuum analyze element.elements, element.names, element.words, element.links')
  for (const row of [...doorRows(stage, small, seconds), ...searchRows(stage, small, big, large, seconds)]) {
    const result = await inTurns(stage, row, turns)
    console.log(result.text)
    results.push(result)
  }
  return results
}

interface Named {
  readonly world: World
  readonly ids: readonly string[]
}

/** Elements with three links each. Half of their names share a part, and ten have one that no other has. */
async function newNamedWorld(stage: Stage, count: number): Promise<Named> {
  const world = await stage.newWorld()
  const ids: string[] = []
  for (let from = 0; from < count; from += 1000) {
    const items = Array.from({ length: 1000 }, (_, index) => ({
      type: 'character',
      element: nameOf(from + index, ids),
    }))
    const body = JSON.stringify({ items })
    const reply = await fetch(`${stage.gateway}/api/v2/bulk`, { method: 'POST', headers: { ...world.headers }, body })
    const { errors, items: made } = (await reply.json()) as { errors: boolean; items: { id: string }[] }
    if (reply.status !== 200 || errors) throw new Error(`the world could not be filled: ${reply.status}`)
    for (const { id } of made) ids.push(id)
  }
  return { world, ids }
}

const syllables = 'ka vo mi tor del wen sha rus lem bri qua zen fal gor nim pex ul dra hes jor'.split(' ')

/** No two alike: a number in syllables, five of them, spread so that neighbours have little in common. */
function called(index: number): string {
  let rest = (index * 1_299_709) % 3_200_000
  let text = ''
  for (let place = 0; place < 5; place += 1) {
    text += syllables[rest % 20] + (place === 2 ? ' ' : '')
    rest = Math.floor(rest / 20)
  }
  return text
}

function nameOf(index: number, before: readonly string[]): object {
  const rare = index % 2 === 1 && index < 20 ? ' Quetzalwick' : ''
  const common = index % 2 === 0 ? ' of the Riverlands' : ''
  return {
    name: `${called(index)}${common}${rare}`,
    description: `${'They crossed the river before dawn and told nobody. '.repeat(5)}word${index}`,
    supertype: `kind-${index % 7}`,
    level: index % 20,
    friends: before.slice(-3),
  }
}

function doorRows({ gateway }: Stage, { world, ids }: Named, seconds: number): Comparison[] {
  const headers = { ...world.headers }
  const some = ids.slice(0, 500)
  const read = { url: gateway, headers, connections: 32, seconds }
  const pages = { headers, connections: 16, seconds }
  const one = { ...read, requests: some.map((id) => ({ path: `/api/v2/character/${id}` })) }
  const message = (id: string) =>
    JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'get_element', arguments: { type: 'character', id } },
    })
  return [
    {
      ...{ name: 'classic GET one', bar: '>= 0.6', by: 'rate', base: one },
      subject: { ...read, requests: some.map((id) => ({ path: `/api/worldapi/character/${id}/` })) },
    },
    {
      ...{ name: 'classic list 100', bar: '>= 0.6', by: 'rate' },
      base: { ...pages, url: `${gateway}/api/v2/character?limit=100` },
      subject: { ...pages, url: `${gateway}/api/worldapi/character/?limit=100` },
    },
    {
      ...{ name: 'tool get_element', bar: '>= 0.5', by: 'rate', base: one },
      subject: {
        ...{ ...read, method: 'POST', url: `${gateway}/mcp`, body: message(String(some[0])) },
        headers: { ...headers, accept: 'application/json, text/event-stream' },
      },
    },
    {
      ...{ name: 'openapi.json', bar: '', by: 'rate', base: one },
      subject: { ...read, url: `${gateway}/api/v2/openapi.json`, connections: 8 },
    },
  ]
}

/** The same search in a small and in a large world, one after the other. */
function searchRows({ gateway }: Stage, small: Named, big: Named, large: number, seconds: number): Comparison[] {
  const searches = [
    ['exact', called(4_321), '<= 1.5'],
    ['prefix', called(4_321).slice(0, 5), '<= 1.5'],
    ['rare substring', 'quetzalwick', '<= 1.5'],
    ['rare word', 'word77', '<= 1.5'],
    ['common substring', 'riverlands', ''],
  ] as const
  const load = ({ world }: Named, q: string): Load => ({
    url: `${gateway}/api/v2/search?q=${encodeURIComponent(q)}`,
    headers: { ...world.headers },
    connections: 2,
    seconds,
  })
  return searches.map(([name, q, bar]) => ({
    ...{ name: `search ${name}, 10000 to ${large}`, bar, by: 'p99' },
    ...{ base: load(small, q), subject: load(big, q) },
  }))
}

async function inTurns(stage: Stage, { name, bar, by, base, subject }: Comparison, turns: number): Promise<DoorResult> {
  const runs: [Figures, Figures][] = []
  for (let turn = 0; turn < turns; turn += 1) {
    runs.push([await measure(base, stage.system), await measure(subject, stage.system)])
  }
  const [one, other] = [median(runs.map(([first]) => first)), median(runs.map(([, second]) => second))]
  const ratio = by === 'rate' ? other.perSecond / one.perSecond : other.p99 / one.p99
  const told = ({ perSecond, p50, p99, cpu }: Figures) => {
    const shares = Object.entries(cpu).flatMap(([process, ms]) => (ms < 0.01 ? [] : `${process} ${ms.toFixed(2)}`))
    return `${perSecond.toFixed(0)}/s p50 ${p50} p99 ${p99} (${shares.join(' ')})`
  }
  const text = `${name.padEnd(40)} ${told(one)} | ${told(other)}  ${ratio.toFixed(2)} ${bar}`
  return { name, ratio, text }
}
