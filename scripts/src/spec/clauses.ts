const id = '[A-Z]{2}-\\d{3}'
const group = `\\[${id}(?:\\s*,\\s*${id})*\\]`
/** A test's name: `'[WR-012] …'`, `'[WR-012][WR-013] …'`, `'[WR-012, WR-013] …'`. */
const name = new RegExp(`['"\`]((?:${group}\\s*)+)`, 'g')
/** A row of a table whose test is named by a template: `['WR-012', …]`. */
const row = new RegExp(`['"\`](${id})['"\`]`, 'g')

/** Ids of the clauses that a test file's names carry. */
export function clausesNamed(source: string): string[] {
  const found = [...source.matchAll(name), ...source.matchAll(row)].flatMap(
    ([, text = '']) => text.match(new RegExp(id, 'g')) ?? [],
  )
  return [...new Set(found)]
}

/** `AU-001, AU-002, AU-003, AU-007` as `001-003 007`: the prefix is said beside. */
export function shorten(ids: readonly string[]): string {
  const runs: [first: number, last: number][] = []
  for (const number of ids.map((text) => Number(text.slice(text.indexOf('-') + 1)))) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === number - 1) run[1] = number
    else runs.push([number, number])
  }
  const pad = (number: number) => String(number).padStart(3, '0')
  return runs.map(([first, last]) => (first === last ? pad(first) : `${pad(first)}-${pad(last)}`)).join(' ')
}
