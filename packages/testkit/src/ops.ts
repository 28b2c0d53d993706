import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from './paths'

const script = join(repositoryRoot, 'services', 'ops', 'dist', 'main.js')

/** What the operator's command line prints for these words; rejects with `code` and `stderr` when it does not exit with 0. */
export async function runOps(words: readonly string[], env: Record<string, string>): Promise<string> {
  const options = { env: { PATH: process.env.PATH, ...env }, maxBuffer: 1 << 28 }
  return (await promisify(execFile)(process.execPath, [script, ...words], options)).stdout
}
