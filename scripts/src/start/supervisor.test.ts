import { until } from '@worlds/testkit/until'
import { Supervisor } from './supervisor'

/** A process that the test ends. */
class Ending {
  starts = 0
  fails = false
  #end: (how: string) => void = () => undefined
  #ended = this.#next()

  end(how: string): void {
    this.#end(how)
  }

  ended = () => this.#ended

  start = async () => {
    this.starts += 1
    if (this.fails) throw new Error('no port')
    this.#ended = this.#next()
  }

  #next(): Promise<string> {
    return new Promise((resolve) => {
      this.#end = resolve
    })
  }
}

describe('the supervisor', () => {
  const pauses = { firstMs: 10, longestMs: 40, steadyMs: 300 }
  let lines: string[]
  let failures: string[]
  let supervisor: Supervisor
  const run = { say: (line: string) => lines.push(line), fail: ({ message }: Error) => failures.push(message) }
  let element: Ending
  beforeEach(() => {
    lines = []
    failures = []
    supervisor = new Supervisor(run, pauses)
    element = new Ending()
    supervisor.watch('element', element)
  })
  afterEach(() => supervisor.stop())

  const restartAfter = async (how: string) => {
    const { starts } = element
    element.end(how)
    await until(() => element.starts > starts && lines.at(-1) === 'element runs again')
  }
  const announced = () => lines.flatMap((line) => /again in (\S+) s/.exec(line)?.[1] ?? [])

  it('ends the run when a process ends before the system is ready', async () => {
    element.end('exit 1')
    await until(() => failures.length > 0)
    expect([failures, element.starts]).toEqual([['element ended unexpectedly (exit 1)'], 0])
  })

  it('restarts after a pause that doubles up to the longest, and says so', async () => {
    let reports = 0
    supervisor.begin(async () => {
      reports += 1
    })
    for (const _time of [1, 2, 3, 4]) await restartAfter('SIGKILL')
    expect(announced()).toEqual(['0.01', '0.02', '0.04', '0.04'])
    expect(lines[0]).toBe('element ended (SIGKILL): starting it again in 0.01 s')
    expect([reports, failures]).toEqual([4, []])
  })

  it('begins with the first pause after the process has run for a while', async () => {
    supervisor.begin(async () => undefined)
    for (const _time of [1, 2]) await restartAfter('exit 1')
    const since = Date.now()
    await until(() => Date.now() - since > pauses.steadyMs)
    await restartAfter('exit 1')
    expect(announced()).toEqual(['0.01', '0.02', '0.01'])
  })

  it('goes on when a restart fails, and says why', async () => {
    supervisor.begin(async () => undefined)
    element.fails = true
    element.end('exit 1')
    await until(() => element.starts >= 3)
    expect(lines).toContain('element did not start: no port')
    element.fails = false
    await until(() => lines.at(-1) === 'element runs again')
  })

  it('restarts nothing once it is stopped, whether or not a restart is due', async () => {
    const patient = new Supervisor(run, { ...pauses, firstMs: 3_600_000 })
    const [due, idle] = [new Ending(), new Ending()]
    patient.watch('due', due)
    patient.watch('idle', idle)
    patient.begin(async () => undefined)
    due.end('SIGKILL')
    await until(() => lines.length > 0)
    const stopped = patient.stop()
    idle.end('SIGKILL')
    await stopped
    expect(lines).toEqual(['due ended (SIGKILL): starting it again in 3600 s'])
    expect([due.starts, idle.starts]).toEqual([0, 0])
  })
})
