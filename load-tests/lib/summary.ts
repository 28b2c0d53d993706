/**
 * What a run leaves: summary.json with every figure, and a text that a person reads. With SUMMARY=line the figures are a
 * line after the text as well, for whoever reads the output of a pod.
 */

interface Metric {
  readonly values: Record<string, number>
  readonly thresholds?: Record<string, { readonly ok: boolean }>
}

export interface SummaryData {
  readonly metrics: Record<string, Metric>
  readonly state?: { readonly testRunDurationMs?: number }
}

export const trendStats = ['count', 'min', 'avg', 'med', 'p(95)', 'p(99)', 'max']

/** `more` are lines of the script's own, and `facts` what they rest on. */
export function summarize(
  data: SummaryData,
  title: string,
  more: readonly string[] = [],
  facts: Record<string, unknown> = {},
): Record<string, string> {
  const verdicts = verdictsOf(data)
  const failed = verdicts.filter(({ ok }) => !ok)
  const text = [
    `${title}: ${verdictOn(data, failed.length)}`,
    ...failed.map(({ metric, bound }) => `  FAILED ${metric} ${bound}: ${figures(data.metrics[metric])}`),
    ...trendLines(data),
    `  ${'iterations'.padEnd(20)}${figureOf(data, 'iterations', 'count') ?? 0} in ${secondsOf(data)} s`,
    `  ${'checks'.padEnd(20)}${figureOf(data, 'checks', 'passes') ?? 0} hold, ${figureOf(data, 'checks', 'fails') ?? 0} do not`,
    ...['busy_503', 'other_5xx', 'no_answer', 'dropped_iterations'].map(
      (name) => `  ${name.padEnd(20)}${data.metrics[name]?.values.count ?? 0}`,
    ),
    ...more.map((line) => `  ${line}`),
    '',
  ].join('\n')
  const figuresOf = Object.fromEntries(Object.entries(data.metrics).map(([name, { values }]) => [name, values]))
  const json = { title, passed: failed.length === 0, failed, facts, seconds: secondsOf(data), metrics: figuresOf }
  const out = __ENV.OUT_DIR
  return {
    stdout: __ENV.SUMMARY === 'line' ? `${text}${JSON.stringify(json)}\n` : text,
    ...(out ? { [`${out}/summary.json`]: JSON.stringify(json, null, 2), [`${out}/summary.txt`]: text } : {}),
  }
}

function verdictOn(data: SummaryData, failed: number): string {
  if (!figureOf(data, 'iterations', 'count')) return 'nothing was run'
  return failed === 0 ? 'all thresholds hold' : `${failed} thresholds do not hold`
}

export function figureOf({ metrics }: SummaryData, metric: string, stat: string): number | undefined {
  return metrics[metric]?.values[stat]
}

function verdictsOf({ metrics }: SummaryData) {
  return Object.entries(metrics).flatMap(([metric, { thresholds }]) =>
    Object.entries(thresholds ?? {}).map(([bound, { ok }]) => ({ metric, bound, ok })),
  )
}

/** One line for each kind of request that was sent. */
function trendLines({ metrics }: SummaryData): string[] {
  const rows = Object.entries(metrics).filter(
    ([name, { values }]) => name.includes('{op:') && 'med' in values && values.count,
  )
  return rows.map(([name, metric]) => `  ${name.padEnd(36)}${figures(metric)}`)
}

function figures(metric: Metric | undefined): string {
  const { values = {} } = metric ?? {}
  const shown = ['count', 'min', 'med', 'p(95)', 'p(99)', 'max'].filter((stat) => values[stat] !== undefined)
  return shown.map((stat) => `${stat} ${Math.round((values[stat] ?? 0) * 100) / 100}`).join('  ')
}

function secondsOf({ state }: SummaryData): number {
  return Math.round((state?.testRunDurationMs ?? 0) / 1000)
}
