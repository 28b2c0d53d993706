import type { ChildProcess } from 'node:child_process'

/** Keeps the last lines a process printed, to be shown when it fails. */
export class LastLines {
  readonly #lines: string[] = []

  constructor(
    child: ChildProcess,
    private readonly limit = 40,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#add(text))
    }
  }

  text(): string {
    return this.#lines.join('\n')
  }

  #add(text: string): void {
    this.#lines.push(...text.split('\n').filter((line) => line !== ''))
    this.#lines.splice(0, this.#lines.length - this.limit)
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Resolves once the process has ended, at once when it already has, to how: `exit 1`, `SIGKILL`. */
export async function ended(child: ChildProcess): Promise<string> {
  if (!hasEnded(child)) await new Promise((resolve) => child.once('exit', resolve))
  return child.signalCode ?? `exit ${child.exitCode}`
}

/** Asks a process to end, and makes it end when it has not after `graceMs`. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (hasEnded(child)) return
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  child.kill(signal)
  await ended(child)
  clearTimeout(timer)
}
