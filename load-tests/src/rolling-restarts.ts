import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Constellation, isReplica } from '@worlds/testkit/constellation'
import type { ServiceName } from '@worlds/testkit/service-process'

interface Restarted {
  readonly name: string
  /** When it was told to stop. */
  readonly at: string
  /** Until it had ended: what it had under way is part of it. */
  readonly msStopping: number
  /** Until it listened again. */
  readonly msDown: number
}

/** Those who are called come before those who call, as when a release is rolled out by hand. */
const order: readonly ServiceName[] = ['element', 'change-feed', 'membership', 'file', 'upload-host', 'gateway']

/** What a replica that is back is given to be found again by those who call it, before the other one goes. */
const apartMs = 1_000

/**
 * On SIGUSR2 tells every process to stop and starts it again, one after the other, and keeps in `dir` what was
 * restarted when (`restarts.json`, a line each); `restarts.done` is there once all of them are back. `stop` lets nothing more be
 * started: a process that comes after the others were stopped would stay.
 */
export async function restartOnSignal(processes: Constellation, dir: string, say: (line: string) => void) {
  const [report, marker] = [join(dir, 'restarts.json'), join(dir, 'restarts.done')]
  for (const left of [report, marker]) await rm(left, { force: true })
  const stopping = new AbortController()
  let underWay: Promise<void> | undefined
  process.on('SIGUSR2', () => {
    underWay ??= restartAll(processes, report, say, stopping.signal)
      .then(() => writeFile(marker, ''))
      // Without the marker the run fails; why is told here.
      .catch((error: unknown) => say(`the restarts ended: ${error instanceof Error ? error.message : String(error)}`))
  })
  return {
    async stop(): Promise<void> {
      stopping.abort()
      await underWay
    },
  }
}

async function restartAll(
  processes: Constellation,
  report: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const names = order.flatMap((service) => [...processes.keys()].filter((name) => isReplica(name, service)))
  const done: Restarted[] = []
  for (const [index, name] of names.entries()) {
    if (index > 0) await sleep(apartMs, undefined, { signal })
    const restarted = await restartOne(processes, name)
    done.push(restarted)
    say(`restarted ${JSON.stringify(restarted)}`)
    await writeFile(`${report}.new`, `[\n${done.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`)
    await rename(`${report}.new`, report)
  }
}

async function restartOne(processes: Constellation, name: string): Promise<Restarted> {
  const one = processes.get(name)
  if (one === undefined) throw new Error(`there is no ${name}`)
  const began = Date.now()
  await one.stop()
  const msStopping = Date.now() - began
  await one.start()
  return { name, at: new Date(began).toISOString(), msStopping, msDown: Date.now() - began }
}
