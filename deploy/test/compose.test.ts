import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '@worlds/testkit/paths'
import { parse } from 'yaml'

interface Service {
  readonly build?: { readonly args: { readonly SERVICE: string } }
  readonly restart?: string
  readonly environment?: Readonly<Record<string, string>>
}

const deploy = join(repositoryRoot, 'deploy')
const text = readFileSync(join(deploy, 'compose.yaml'), 'utf8')
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> }
const secrets = new Map(
  execFileSync(join(deploy, 'compose/secrets.sh'), { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
)

function environmentOf(name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).map(([key, value]) => [
      key,
      value.replace(/\$\{([A-Z0-9_]+)(?::\?[^}]*)?\}/g, (_all, secret) => secrets.get(secret) ?? `no ${secret}`),
    ]),
  )
}

describe('the compose file', () => {
  it('asks for no secret that is not made, and none is made in vain', () => {
    const asked = new Set([...text.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name))
    expect([...asked].sort()).toEqual([...secrets.keys()].sort())
  })

  it.each(Object.keys(services).filter((name) => services[name]?.build !== undefined && name !== 'migrate'))(
    'gives %s settings that it starts with',
    (name) => {
      expect(services[name]?.build?.args.SERVICE).toBe(name)
      const { readConfig } = require(`../../services/${name}/src/config`) as {
        readConfig(env: Record<string, string>): object
      }
      expect(readConfig(environmentOf(name))).toBeInstanceOf(Object)
    },
  )

  it('restarts every process that ends, but for the migration', () => {
    const { migrate, ...running } = services
    for (const { restart } of Object.values(running)) expect(restart).toBe('unless-stopped')
    expect(migrate?.restart).toBe('no')
  })

  it('has all services, and says the same to those who must agree', () => {
    const names = ['change-feed', 'element', 'file', 'gateway', 'membership', 'upload-host']
    const all = names.map(environmentOf)
    for (const shared of [
      'SERVICE_TOKEN',
      'REDIS_URL',
      'PEPPERS',
      'S3_BUCKET',
      'S3_ENDPOINT',
      'S3_SECRET_ACCESS_KEY',
    ]) {
      const said = all.flatMap((env) => env[shared] ?? [])
      expect(said.length).toBeGreaterThan(1)
      expect(new Set(said).size).toBe(1)
    }
  })
})
