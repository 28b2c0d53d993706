/**
 * `node load-tests/dist/src/keep-baseline.js NAME FILE`: keeps a run's summary.json as baselines/NAME.json, with the
 * machine and the commit that its figures are of, and tells how they differ from those that were kept before.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from '@worlds/testkit/paths'

interface Summary {
  readonly title: string
  readonly passed: boolean
  readonly seconds: number
  readonly facts: Record<string, unknown>
  readonly metrics: Record<string, Record<string, number>>
}

const [name = '', file = ''] = process.argv.slice(2)
const { title, passed, seconds, facts, metrics } = JSON.parse(readFileSync(file, 'utf8')) as Summary
const kept = join(repositoryRoot, 'load-tests', 'baselines', `${name}.json`)
const before = existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as Summary) : null

/** k6's own figures of itself say nothing about the system. */
const isKept = ([metric]: [string, unknown]) =>
  /^(accepted|busy|checks|dropped|emptied|http_reqs$|http_req_duration\{|iterations$|left|listed|lost|memory|no_answer|other|retried|row|sent|served|slots|unkeyed)/.test(
    metric,
  )
const round = (value: number) => Math.round(value * 1000) / 1000
const rounded = Object.entries(metrics)
  .filter(isKept)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(
    ([metric, values]) =>
      [
        metric,
        Object.fromEntries(
          Object.entries(values)
            .filter(([stat]) => stat !== 'rate')
            .map(([stat, value]) => [stat, round(value)]),
        ),
      ] as const,
  )
const git = (...args: string[]) => execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8' }).trim()
const baseline = {
  title,
  passed,
  commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : ' and changes'),
  date: new Date().toISOString().slice(0, 10),
  machine: {
    cpus: `${cpus().length} x ${cpus()[0]?.model.trim()}`,
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
  },
  seconds,
  facts,
  metrics: Object.fromEntries(rounded),
}
writeFileSync(kept, `${JSON.stringify(baseline, null, 2)}\n`)
console.log(`kept ${kept}`)

for (const [metric, values] of Object.entries(baseline.metrics)) {
  const [was, is] = [before?.metrics[metric]?.med, values.med]
  if (was !== undefined && is !== undefined) console.log(`  ${metric}: median ${was} before, ${is} now`)
}
