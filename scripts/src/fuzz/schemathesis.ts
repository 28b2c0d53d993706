import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ended, LastLines } from '@worlds/testkit/child-process'
import { findProgram } from '@worlds/testkit/find-program'
import { repositoryRoot } from '@worlds/testkit/paths'

/** No 5xx; no status, header or form of a reply that the document does not tell of. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

export interface Run {
  readonly gateway: string
  /** JSON text. */
  readonly document: string
  readonly headers: Readonly<Record<string, string>>
  readonly seed: number
  readonly maxExamples: number
  readonly phases: readonly string[]
  /** Options that choose operations. */
  readonly chosen: readonly string[]
}

/** Where `scripts/fuzz/tools.sh` has put it, or on the PATH; null when it is in neither. */
export function findSchemathesis(): string | null {
  const own = join(repositoryRoot, '.tools', 'schemathesis', 'bin', 'schemathesis')
  return existsSync(own) ? own : findProgram('schemathesis')
}

/** Whether it found nothing, and what it printed. */
export async function runSchemathesis(program: string, run: Run): Promise<{ well: boolean; report: string }> {
  // What it leaves behind goes with the folder.
  const folder = await mkdtemp(join(tmpdir(), 'worlds-fuzz-'))
  try {
    await writeFile(join(folder, 'openapi.json'), run.document)
    const child = spawn(program, wordsOf(run), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const lines = new LastLines(child, 2_000)
    const well = (await ended(child)) === 'exit 0'
    return { well, report: lines.text() }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function wordsOf({ gateway, headers, seed, maxExamples, phases, chosen }: Run): string[] {
  return [
    ...['--no-color', 'run', 'openapi.json', '--url', gateway, '--checks', checks.join(), '--phases', phases.join()],
    ...['--seed', String(seed), '--max-examples', String(maxExamples), '--generation-database', 'none'],
    ...['--continue-on-failure', '--warnings', 'off', '--suppress-health-check', 'all', '--request-timeout', '30'],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...chosen,
  ]
}
