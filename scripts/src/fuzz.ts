import { api } from '@worlds/testkit/api'
import type { System } from '@worlds/testkit/system'
import { type FuzzOptions, readOptions } from './fuzz/options'
import { stageOf } from './fuzz/readers'
import { findSchemathesis, runSchemathesis } from './fuzz/schemathesis'
import { startFuzzed } from './fuzz/system'
import { type Task, tasksOf } from './fuzz/tasks'

/** `npm run fuzz`: schemathesis over every route as everybody, against a system of its own. */
async function main(): Promise<boolean> {
  const options = readOptions(process.argv)
  const program = findSchemathesis()
  if (program === null) throw new Error('schemathesis is neither in .tools nor on the PATH: scripts/fuzz/tools.sh')
  const system = await startFuzzed()
  try {
    const { text: document } = await api(system.gateway).get('/api/v2/openapi.json')
    const tasks = tasksOf(options, document)
    // Two at once: the tool is most of the work, and has one thread.
    const outcomes = await Promise.all([1, 2].map(() => work(program, system, document, options, tasks)))
    return outcomes.every(Boolean)
  } finally {
    await system.stop()
  }
}

async function work(program: string, system: System, document: string, { seed }: FuzzOptions, tasks: Task[]) {
  let well = true
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    const { reader, what, plan } = task
    const stage = await stageOf(system, reader, document)
    const began = Date.now()
    const outcome = await runSchemathesis(program, { gateway: system.gateway, ...stage, seed, ...plan })
    const [cases = 'no cases'] = /\d+ generated.*/.exec(outcome.report) ?? []
    if (!outcome.well) console.log(outcome.report)
    console.log(`${what} as ${reader}: ${cases} (${((Date.now() - began) / 1000).toFixed(0)} s, --seed ${seed})`)
    well = well && outcome.well
  }
  return well
}

main().then(
  (well) => process.exit(well ? 0 : 1),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  },
)
