import { readServiceTokens } from './service-tokens'
import { readTls, type TlsFiles } from './tls'

/** Reads one service's settings from its environment. Every problem is reported at once. */
export class Environment {
  readonly #problems: string[] = []

  constructor(private readonly env: Record<string, string | undefined>) {}

  text(name: string, fallback?: string): string {
    const value = this.env[name]
    if (value !== undefined && value !== '') return value
    if (fallback !== undefined) return fallback
    this.#problems.push(`${name} is not set`)
    return ''
  }

  integer(name: string, fallback: number): number {
    const text = this.text(name, String(fallback))
    if (/^-?\d+$/.test(text)) return Number(text)
    this.#problems.push(`${name} is not a whole number: ${text}`)
    return fallback
  }

  list(name: string, fallback?: string): string[] {
    return this.text(name, fallback)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  /** Settings that must go together. */
  require(isSo: boolean, problem: string): void {
    if (!isSo) this.#problems.push(problem)
  }

  /** Throws unless every setting read so far was good. Call it last. */
  check(): void {
    if (this.#problems.length > 0) throw new Error(`Bad configuration: ${this.#problems.join('; ')}`)
  }
}

/** What every process is told. */
export interface HostConfig {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Health, readiness and metrics; 0 for any free port. */
  readonly metricsPort: number
  readonly logLevel: string
  readonly shutdownMs: number
  /** How long a process that is told to stop goes on serving while it is taken out of rotation. */
  readonly drainMs: number
}

/** And what one is told that calls other services, or is called. */
export interface ProcessConfig extends HostConfig {
  /** One or more, separated by commas: the first is sent, all are accepted, so that they can be rotated. */
  readonly serviceToken: string
  /** Null for calls between services in the clear. */
  readonly tls: TlsFiles | null
}

export function readProcessConfig(env: Environment): ProcessConfig {
  return { ...readHostConfig(env), serviceToken: readServiceToken(env), tls: readTls(env) }
}

function readServiceToken(env: Environment): string {
  try {
    return readServiceTokens(env.text('SERVICE_TOKEN', ' ')).join(',')
  } catch (error) {
    env.require(false, (error as Error).message)
    return ''
  }
}

export function readHostConfig(env: Environment): HostConfig {
  return {
    host: env.text('HOST', '127.0.0.1'),
    port: env.integer('PORT', 0),
    metricsPort: env.integer('METRICS_PORT', 0),
    logLevel: env.text('LOG_LEVEL', 'info'),
    shutdownMs: env.integer('SHUTDOWN_MS', 20_000),
    drainMs: env.integer('DRAIN_MS', 0),
  }
}
