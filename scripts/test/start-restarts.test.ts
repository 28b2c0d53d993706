import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api } from '@worlds/testkit/api'
import { until } from '@worlds/testkit/until'

const script = join(__dirname, '..', 'dist', 'start.js')
const services = ['element', 'membership', 'change-feed', 'file', 'upload-host', 'gateway']
/** Milliseconds in which a process that was killed serves again: a pause of 1 s, and its start on a busy machine. */
const bound = 30_000

jest.setTimeout(240_000)

/** Processes that end while `npm start` runs the system. */
describe('npm start', () => {
  const dir = mkdtempSync(join(tmpdir(), 'worlds-restarts-'))
  const data = join(dir, 'data')
  let child: ChildProcess
  let gateway: string
  let output = ''
  beforeAll(async () => {
    child = spawn(process.execPath, [script, '--port', '0', '--data', data], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await until(() => existsSync(join(data, 'addresses.json')))
    gateway = JSON.parse(readFileSync(join(data, 'addresses.json'), 'utf8')).gateway
  })
  afterAll(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // Its processes end with it, also after a test that failed.
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
    rmSync(dir, { recursive: true, force: true })
  })

  const demo = () => api(gateway, { 'API-Key': '0000000000' })
  const isHealthy = async () =>
    (await Promise.all([api(gateway).get('/api/v2/health'), demo().get('/api/v2/character')])).every(
      ({ status }) => status === 200,
    )

  async function isReady(service: string): Promise<boolean> {
    const { metrics } = JSON.parse(readFileSync(join(data, 'internal.json'), 'utf8'))
    return (await fetch(`${metrics[service]}/readyz`)).ok
  }

  /** Kills a process and waits until another serves in its place. */
  async function expectReplaced(mark: string, isBack: () => Promise<boolean>): Promise<void> {
    const [killed] = childrenOf(child.pid as number, mark)
    expect(killed).toBeGreaterThan(0)
    process.kill(killed as number, 'SIGKILL')
    const since = Date.now()
    const isReplaced = () => childrenOf(child.pid as number, mark).some((pid) => pid !== killed)
    await until(
      async () => isReplaced() && (await isBack().catch(() => false)) && (await isHealthy().catch(() => false)),
    )
    expect(Date.now() - since).toBeLessThan(bound)
  }

  it.each(services)('starts %s again after kill -9, at its address', async (service) => {
    await expectReplaced(`/services/${service}/dist/main.js`, () => isReady(service))
    expect(output).toContain(`${service} ended (SIGKILL): starting it again in 1 s`)
  })

  it.each([
    ['Redis', 'redis-server'],
    ['PostgreSQL', '/bin/postgres'],
  ])('starts %s again after kill -9, with what it held', async (name, mark) => {
    const before = await demo().get('/api/v2/character')
    await expectReplaced(mark, async () => (await Promise.all(services.map(isReady))).every((ready) => ready))
    expect(output).toContain(`${name} ended (SIGKILL): starting it again in 1 s`)
    expect((await demo().get('/api/v2/character')).body.data).toEqual(before.body.data)
  })

  it('ends everything at Ctrl-C, also while a restart is due', async () => {
    const [element] = childrenOf(child.pid as number, '/services/element/dist/main.js')
    process.kill(element as number, 'SIGKILL')
    const announced = output.split('element ended').length
    await until(() => output.split('element ended').length > announced)
    const running = descendantsOf(child.pid as number)
    expect(running.length).toBeGreaterThan(services.length)
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(running.filter(({ pid, command }) => commandOf(pid) === command)).toEqual([])
    expect(output).not.toContain('element ended unexpectedly')
    await expect(fetch(gateway)).rejects.toThrow()
  })
})

interface Running {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

function allProcesses(): Running[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    const parent = /^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]
    return parent === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command: commandOf(Number(pid)) }]
  })
}

function childrenOf(parent: number, mark: string): number[] {
  const found = allProcesses().filter((one) => one.parent === parent && one.command.includes(mark))
  return found.map(({ pid }) => pid)
}

function descendantsOf(ancestor: number): Running[] {
  const all = allProcesses()
  const of = (parent: number): Running[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...of(one.pid)])
  return of(ancestor)
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
