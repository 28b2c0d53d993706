import { elementPaths } from './document'
import type { FuzzOptions } from './options'
import type { Reader } from './readers'
import type { Run } from './schemathesis'

/** One run of the tool as one reader. */
export interface Task {
  readonly reader: Reader
  readonly what: string
  readonly plan: Pick<Run, 'phases' | 'chosen' | 'maxExamples'>
}

/**
 * What takes away the credentials that a run is made with: each of these lists gets a run of its own as the owner, and
 * is left out of all others.
 */
const endings = [['delete-account'], ['delete-world', 'leave-world', 'revoke-token', 'revoke-key']]

const few = 6
const quick = ['examples', 'fuzzing']

export function tasksOf(options: FuzzOptions, document: string): Task[] {
  const without = endings.flat().flatMap((id) => ['--exclude-operation-id', id])
  const slugs = elementPaths(document).map((path) => path.split('/')[3] ?? '')
  const main = options.bounded ? boundedTasks(options, slugs, without) : wholeTasks(options, without)
  const last = endings.map((ids): Task => {
    const chosen = ids.flatMap((id) => ['--include-operation-id', id])
    return { reader: 'owner', what: ids.join(', '), plan: { phases: quick, chosen, maxExamples: few } }
  })
  return [...main, ...last]
}

function wholeTasks({ readers, maxExamples }: FuzzOptions, chosen: readonly string[]): Task[] {
  const phases = ['examples', 'coverage', 'fuzzing', 'stateful']
  return readers.map((reader) => ({ reader, what: 'every route', plan: { phases, chosen, maxExamples } }))
}

/** One category stands for all, another one with each seed; the phase that takes longest runs as the owner alone. */
function boundedTasks({ readers, seed }: FuzzOptions, slugs: readonly string[], without: readonly string[]): Task[] {
  const kept = slugs[seed % slugs.length] ?? ''
  const pathsOf = (names: readonly string[]) => `^/api/v2/(${names.join('|')})(/|$)`
  const task = (reader: Reader, what: string, phases: readonly string[], ...paths: readonly string[]): Task => ({
    reader,
    what,
    plan: { phases, chosen: [...without, ...paths], maxExamples: few },
  })
  // The limits of a bulk's items are those of every category: six thousand cases.
  const named = ['--exclude-path-regex', pathsOf([...slugs, 'bulk'])]
  const limits = [
    task('owner', `limits of ${kept}`, ['coverage'], '--include-path-regex', pathsOf([kept])),
    task('owner', 'limits of all but categories', ['coverage'], ...named),
  ]
  const others = ['--exclude-path-regex', pathsOf(slugs.filter((slug) => slug !== kept))]
  const all = readers.map((reader) => task(reader, `${kept} and all but categories`, quick, ...others))
  return readers.includes('owner') ? [...limits, ...all] : all
}
