import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '@worlds/testkit/until'

const root = join(__dirname, '..', '..')
const dist = join(__dirname, '..', 'dist')

/** The pages that tell an audience what to type, and what of them is shown elsewhere. */
const pages = [
  { page: 'README.md', leftOut: /npm ci|npm test/ },
  { page: 'docs/clients.md', leftOut: null },
  { page: 'docs/operations.md', leftOut: null },
  { page: 'CONTRIBUTING.md', leftOut: null },
]

/** A page's blocks as one script: what one block sets, the next one uses. */
function scriptOf(page: string, leftOut: RegExp | null): string {
  const text = readFileSync(join(root, page), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  expect(blocks.length).toBeGreaterThan(0)
  return blocks.filter((block) => leftOut === null || !leftOut.test(block)).join('\n')
}

describe('what the pages say to type', () => {
  const dir = mkdtempSync(join(tmpdir(), 'worlds-docs-commands-'))
  const data = join(dir, 'data')
  let child: ChildProcess
  let gateway: string
  beforeAll(async () => {
    child = spawn(process.execPath, [join(dist, 'start.js'), '--port', '0', '--data', data], { stdio: 'ignore' })
    await until(() => existsSync(join(data, 'addresses.json')))
    gateway = JSON.parse(readFileSync(join(data, 'addresses.json'), 'utf8')).gateway
  })
  afterAll(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    rmSync(dir, { recursive: true, force: true })
  })

  it.each(pages)('does what it says: $page', async ({ page, leftOut }) => {
    // A command that fails ends the script; so does an answer that is none of those promised.
    const prelude = `
      set -euo pipefail
      cd ${root}
      curl() { command curl --fail-with-body "$@"; }
      npm() {
        if [ "$1 $2 $3" != "run -s ops" ]; then command npm "$@"; return; fi
        shift 4
        node services/ops/dist/main.js "$@" --data ${data}
      }
    `
    const script = scriptOf(page, leftOut).replaceAll('http://127.0.0.1:8080', gateway)
    const { stdout } = await promisify(execFile)('bash', ['-c', `${prelude}\n${script}`], { maxBuffer: 1 << 28 })
    expect(stdout).not.toBe('')
  })
})
