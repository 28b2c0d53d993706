import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '@worlds/testkit/paths'

const script = join(repositoryRoot, 'scripts', 'check-lock.mjs')
const integrity = `sha512-${'A'.repeat(86)}==`
const good = { version: '1.0.0', integrity }

describe('the check of the lock file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'worlds-lock-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  /** What it says of a lock file with these packages, and its exit code. */
  async function check(packages: Record<string, object>): Promise<{ code: number; stderr: string; stdout: string }> {
    const file = join(dir, 'package-lock.json')
    writeFileSync(file, JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'x' }, ...packages } }))
    return promisify(execFile)(process.execPath, [script, file]).then(
      (out) => ({ code: 0, ...out }),
      (error) => error,
    )
  }

  it('accepts packages with a hash, workspaces and links to them', async () => {
    const workspace = {
      'packages/a': { version: '0.1.0' },
      'node_modules/@x/a': { resolved: 'packages/a', link: true },
    }
    expect(await check({ 'node_modules/good': good, ...workspace })).toMatchObject({ code: 0, stderr: '' })
  })

  it.each([
    ['without a hash', { version: '1.0.0' }],
    ['with a SHA-1', { version: '1.0.0', integrity: 'sha1-AAAA' }],
    ['of this platform without a hash', { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'] }],
    ['that names a registry', { ...good, resolved: 'https://registry.example.org/good/-/good-1.0.0.tgz' }],
  ])('refuses a package %s', async (_what, entry) => {
    for (const path of ['node_modules/bad', 'packages/a/node_modules/bad']) {
      const { code, stderr } = await check({ 'node_modules/good': good, [path]: entry })
      expect([code, stderr.trim().split('\n').length]).toEqual([1, 1])
      expect(stderr).toContain(path)
    }
  })

  it.each([
    [{ os: ['darwin'], cpu: ['arm64'] }],
    [{ os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
    [{ os: ['linux'], cpu: ['s390x'], libc: ['glibc'] }],
  ])('counts an optional package of another platform without a hash: %j', async (platform) => {
    const { code, stdout } = await check({ 'node_modules/other': { version: '1.0.0', optional: true, ...platform } })
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 of other platforms')])
  })
})
