import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { ended, endProcess, hasEnded } from './child-process'
import { repositoryRoot } from './paths'

export type ServiceName = 'element' | 'membership' | 'change-feed' | 'file' | 'upload-host' | 'gateway'

export interface ServiceOptions {
  readonly service: ServiceName
  readonly env: Record<string, string>
  /** Folder that holds the services. */
  readonly services?: string
  /** A process group of its own: Ctrl-C in a terminal does not reach it. */
  readonly detached?: boolean
  /** How many of the last lines printed are kept. */
  readonly keepLines?: number
  readonly onLine?: (line: string) => void
  /** Called each time a process was made, before it listens. */
  readonly spawned?: (process: ServiceProcess) => void
}

/** One process of a service: started, listening, ended, and perhaps started again on the same ports, but for its probes'. */
export class ServiceProcess {
  #child: ChildProcess | undefined
  #address = ''
  #metrics = ''
  #downloads = ''
  readonly #lines: string[] = []
  readonly #changed: Record<string, string> = {}

  constructor(private readonly options: ServiceOptions) {}

  /** `host:port` for gRPC, a base URL for HTTP. */
  get address(): string {
    return this.#address
  }

  /** Base URL of its download host; '' for a service that has none. */
  get downloads(): string {
    return this.#downloads
  }

  get metrics(): string {
    return this.#metrics
  }

  get pid(): number {
    return this.#current().pid as number
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  /** Null while it runs, or when a signal ended it. */
  get exitCode(): number | null {
    return this.#current().exitCode
  }

  /** Resolves when it listens; throws with what it printed when it ends before. */
  async start(): Promise<this> {
    const isAgain = this.#address !== ''
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#startOnce()
      } catch (error) {
        // While it was down, somebody's connection may have been given its port.
        if (!isAgain || tries === 40 || !String(error).includes('EADDRINUSE')) throw error
        await sleep(250)
      }
    }
  }

  async #startOnce(): Promise<this> {
    const { service, services = join(repositoryRoot, 'services') } = this.options
    const ports = this.#address === '' ? {} : this.#portsAgain()
    const child = spawn(process.execPath, [join(services, service, 'dist', 'main.js')], {
      env: { ...process.env, ...this.options.env, ...this.#changed, ...ports },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: this.options.detached ?? false,
    })
    this.#child = child
    if (child.pid !== undefined) this.options.spawned?.(this)
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () => setImmediate(() => reject(new Error(this.#obituary()))))
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
          this.#keep(line)
          if (this.#learnAddress(line)) resolve()
        })
      }
    })
    return this
  }

  /** Sends a signal and, unless it is one a process lives through, waits for its end. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#current().kill(signal)
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended(this.#current())
  }

  /** What is given of its environment is so from now on. */
  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.stop()
    Object.assign(this.#changed, env)
    await this.start()
  }

  async stop(): Promise<void> {
    if (this.#child === undefined || hasEnded(this.#child)) return
    this.#child.kill('SIGCONT')
    await endProcess(this.#child, 'SIGTERM', 30_000)
  }

  /** Resolves to how: `exit 1`, `SIGKILL`. */
  ended(): Promise<string> {
    return ended(this.#current())
  }

  #current(): ChildProcess {
    if (this.#child === undefined) throw new Error(`${this.options.service} was not started`)
    return this.#child
  }

  #portsAgain(): Record<string, string> {
    const ports = { PORT: portOf(this.#address) }
    return this.#downloads === '' ? ports : { ...ports, DOWNLOAD_PORT: portOf(this.#downloads) }
  }

  #keep(line: string): void {
    this.#lines.push(line)
    const surplus = this.#lines.length - (this.options.keepLines ?? 20_000)
    if (surplus > 0) this.#lines.splice(0, surplus)
    this.options.onLine?.(line)
  }

  #learnAddress(line: string): boolean {
    if (!line.includes('"event":"listening"')) return false
    const {
      address,
      metrics,
      downloads = '',
    } = JSON.parse(line) as Record<'address' | 'metrics', string> & {
      downloads?: string
    }
    this.#address = address
    this.#metrics = metrics
    this.#downloads = downloads
    return true
  }

  #obituary(): string {
    const { service } = this.options
    const last = this.#lines.slice(-15).join('\n')
    return `${service} ended before it listened (exit ${this.#child?.exitCode ?? this.#child?.signalCode}):\n${last}`
  }
}

function portOf(address: string): string {
  return address.slice(address.lastIndexOf(':') + 1)
}
