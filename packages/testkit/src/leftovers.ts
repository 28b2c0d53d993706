import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Notes a process in a folder for as long as it lives, so that a later run can end it should this
 * one be killed. `mark` is part of its command line, by which it is known again.
 */
export function noteProcess(folder: string, pid: number, mark: string, ended: Promise<unknown>): void {
  const file = join(folder, String(pid))
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, mark)
  const forget = () => rmSync(file, { force: true })
  ended.then(forget, forget)
}

/** Ends the noted processes that still run. Without /proc none can be told from a stranger with the same id. */
export async function endLeftovers(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const ends = names.map(async (name) => {
    const pid = Number(name)
    const mark = await readFile(join(folder, name), 'utf8')
    const known = async () => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(mark)
    const found = await known()
    for (let waits = 0; waits < 100 && (await known()); waits += 1) {
      process.kill(pid, waits < 50 ? 'SIGTERM' : 'SIGKILL')
      await sleep(100)
    }
    await rm(join(folder, name), { force: true })
    return found
  })
  return (await Promise.all(ends)).filter((found) => found).length
}
