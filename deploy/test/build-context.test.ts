import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from '@worlds/testkit/paths'

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const secrets = ['.env', 'deploy/.env', 'deploy/.env.production', 'services/gateway/.env.local']
const examples = ['.env.example', 'deploy/.env.example']

describe('files with secrets', () => {
  it('are ignored by git at every level, and examples are not', () => {
    const dir = mkdtempSync(join(tmpdir(), 'worlds-ignored-'))
    try {
      copyFileSync(join(repositoryRoot, '.gitignore'), join(dir, '.gitignore'))
      execFileSync('git', ['init', '-q'], { cwd: dir })
      const input = [...secrets, ...examples].join('\n')
      const ignored = execFileSync('git', ['check-ignore', '--stdin'], { cwd: dir, input, encoding: 'utf8' })
      expect(ignored.trim().split('\n')).toEqual(secrets)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

  it('are kept out of the image build at every level', () => {
    const lines = read('.dockerignore').split('\n')
    expect(lines).toContain('**/.env*')
    expect(lines.filter((line) => line.startsWith('!'))).toEqual(['!**/.env.example'])
  })
})

describe('the image build', () => {
  const dockerfile = read('deploy/Dockerfile')

  it('runs no package that the lock file does not have', () => {
    expect(dockerfile).not.toMatch(/\bnpx\b|npm (install|i|exec)\b/)
    expect(dockerfile.match(/npm ci /g)).toHaveLength(2)
  })

  it('takes both base images as arguments, so that they can be pinned', () => {
    const bases = [...dockerfile.matchAll(/^FROM \$\{(\w+)\}/gm)].map(([, base]) => base)
    expect(bases).toEqual(['BUILD_BASE', 'BUILD_BASE', 'RUNTIME_BASE'])
    const guide = read('docs/operations.md')
    for (const [, name = '', image = ''] of dockerfile.matchAll(/^ARG (BUILD_BASE|RUNTIME_BASE)=(\S+)/gm)) {
      expect(guide).toContain(`--build-arg ${name}=${image}@sha256:`)
    }
  })
})
