/**
 * `npm run bench`: the system beside path A over the same PostgreSQL, loaded in turns by one
 * process. What counts is the ratio within one run; `--json FILE` keeps the figures,
 * `--seconds N` sets the length of one turn, `--only NAME` picks rows.
 */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { runDoors } from './doors'
import { batchOf, elementOf } from './elements'
import { runFiles } from './files'
import { fill } from './fill'
import { type Figures, type Load, measure, median } from './measure'
import { runSharing } from './sharing'
import { buildStage, type Stage } from './stage'
import { runWalks } from './walks'

const { values } = parseArgs({
  options: {
    json: { type: 'string', default: 'bench-results.json' },
    seconds: { type: 'string', default: '4' },
    turns: { type: 'string', default: '3' },
    elements: { type: 'string', default: '100000' },
    only: { type: 'string', default: '' },
  },
})

interface Row {
  readonly name: string
  readonly pathA: Load
  readonly system: Load
  /** What the ratio is of: higher rates are better, or lower times. */
  readonly by: 'rate' | 'p50'
  /** What this row must reach. */
  readonly bar: string
}

async function main(): Promise<void> {
  const stage = await buildStage((line) => console.log(line))
  try {
    console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, fsync on`)
    const rows = await rowsOf(stage)
    const results = []
    console.log(heading)
    for (const row of rows.filter(({ name }) => name.includes(values.only))) {
      const [pathA, system] = await inTurns(stage, row)
      const ratio = row.by === 'rate' ? system.perSecond / pathA.perSecond : system.p50 / pathA.p50
      results.push({ name: row.name, ratio, bar: row.bar, pathA, system })
      console.log(lineOf(row, pathA, system, ratio))
    }
    const walks = 'walk'.includes(values.only) ? await runWalks(stage, Number(values.elements)) : []
    for (const { text } of walks) console.log(text)
    const isWanted = 'sharing'.includes(values.only)
    const [large, seconds, turns] = [values.elements, values.seconds, values.turns].map(Number) as [
      number,
      number,
      number,
    ]
    const sharing = isWanted ? await runSharing(stage, large, seconds, turns) : []
    const doors = 'doors'.includes(values.only) ? await runDoors(stage, large, seconds, turns) : []
    const files = 'files'.includes(values.only) ? await runFiles(stage, seconds, turns) : []
    writeFileSync(values.json, JSON.stringify({ results, walks, sharing, doors, files }, null, 2))
  } finally {
    await stage.stop()
  }
}

async function inTurns(stage: Stage, { pathA, system }: Row): Promise<[Figures, Figures]> {
  const a: Figures[] = []
  const b: Figures[] = []
  for (let turn = 0; turn < Number(values.turns); turn += 1) {
    a.push(await measure(pathA, stage.pathA))
    b.push(await measure(system, stage.system))
  }
  return [median(a), median(b)]
}

async function rowsOf(stage: Stage): Promise<Row[]> {
  const { headers, world } = await stage.newWorld()
  const own = { ...headers }
  await fill(stage, own, world, 2_000)
  const { rows } = await stage.database.query('select e.id from element.elements e where e.world_id = $1 limit 500', [
    world,
  ])
  const ids = rows.map(({ id }) => String(id))
  const others = await Promise.all(Array.from({ length: 60 }, () => stage.newWorld()))
  await stage.database.query(
    'insert into baseline.heads select h.world_id, 0 from element.world_heads h where h.world_id <> $1',
    [world],
  )

  const seconds = Number(values.seconds)
  const v2 = (path: string) => `${stage.gateway}/api/v2${path}`
  const a = (path: string) => `${stage.baseline}/${world}${path}`
  const json = (value: unknown) => JSON.stringify(value)
  const one = json(elementOf(1))
  const read = { connections: 32, seconds }
  const pages = { connections: 16, seconds }
  return [
    {
      name: 'GET one',
      by: 'rate',
      bar: '>= 0.40',
      pathA: { ...read, url: stage.baseline, requests: ids.map((id) => ({ path: `/${world}/character/${id}` })) },
      system: {
        ...read,
        url: stage.gateway,
        headers: own,
        requests: ids.map((id) => ({ path: `/api/v2/character/${id}` })),
      },
    },
    {
      name: 'list 100',
      by: 'rate',
      bar: '>= 0.35',
      pathA: { ...pages, url: a('/character?limit=100') },
      system: { ...pages, url: v2('/character?limit=100'), headers: own },
    },
    {
      name: 'list filtered',
      by: 'rate',
      bar: '',
      pathA: { ...pages, url: a('/character?limit=100&contains=the%2042th') },
      system: { ...pages, url: v2('/character?limit=100&name__icontains=the%2042th'), headers: own },
    },
    {
      name: 'create, one world',
      by: 'rate',
      bar: '>= 1.2',
      pathA: { ...read, url: a('/character'), method: 'POST', body: one },
      system: { ...read, url: v2('/character'), method: 'POST', body: one, headers: own },
    },
    {
      name: 'create, 60 worlds',
      by: 'rate',
      bar: '',
      pathA: {
        ...read,
        url: stage.baseline,
        method: 'POST',
        body: one,
        requests: others.map((o) => ({ path: `/${o.world}/character` })),
      },
      system: {
        ...read,
        url: stage.gateway,
        method: 'POST',
        body: one,
        requests: others.map((o) => ({ path: '/api/v2/character', headers: { ...o.headers } })),
      },
    },
    {
      name: 'PATCH',
      by: 'rate',
      bar: '',
      pathA: {
        ...read,
        url: stage.baseline,
        method: 'PATCH',
        body: json({ level: 7 }),
        requests: ids.map((id) => ({ path: `/${world}/character/${id}` })),
      },
      system: {
        ...read,
        url: stage.gateway,
        method: 'PATCH',
        body: json({ level: 7 }),
        headers: own,
        requests: ids.map((id) => ({ path: `/api/v2/character/${id}` })),
      },
    },
    {
      name: 'bulk 1000',
      by: 'p50',
      bar: '<= 4',
      pathA: {
        url: stage.baseline,
        requests: [{ path: `/${world}` }],
        method: 'PUT',
        body: batchOf(1000),
        connections: 1,
        seconds,
      },
      system: { url: v2('/bulk'), method: 'POST', body: batchOf(1000), headers: own, connections: 1, seconds },
    },
  ]
}

const heading = `${'work'.padEnd(20)}${'A /s'.padStart(9)}${'p50'.padStart(7)}${'p99'.padStart(7)}${'ours /s'.padStart(10)}${'p50'.padStart(7)}${'p99'.padStart(7)}  ratio  bar      CPU ms per operation`

function lineOf({ name, bar }: Row, pathA: Figures, system: Figures, ratio: number): string {
  const figures = ({ perSecond, p50, p99 }: Figures, width: number) =>
    `${perSecond.toFixed(0).padStart(width)}${String(p50).padStart(7)}${String(p99).padStart(7)}`
  const cpu = ({ cpu }: Figures) =>
    Object.entries(cpu)
      .filter(([, ms]) => ms >= 0.001)
      .map(([process, ms]) => `${process} ${ms.toFixed(3)}`)
      .join(' ')
  return `${name.padEnd(20)}${figures(pathA, 9)}${figures(system, 10)}  ${ratio.toFixed(2).padStart(5)}  ${bar.padEnd(8)} A: ${cpu(pathA)} | ${cpu(system)}`
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
