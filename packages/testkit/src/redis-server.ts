import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { endProcess, LastLines } from './child-process'
import type { Say } from './embedded-binaries'
import { freePort } from './free-port'
import { redisBinary } from './redis-binary'

export interface RedisOptions {
  readonly dir: string
  /** Whether what it holds survives a restart. */
  readonly durable: boolean
  /** Any free one when left out. */
  readonly port?: number | undefined
  /** Of a cluster's server: where the others reach it. */
  readonly busPort?: number
  readonly say: Say
}

export interface RedisServer {
  readonly url: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const binary = await redisBinary(options.say)
  await mkdir(options.dir, { recursive: true })
  const { port = await freePort() } = options
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    options.durable ? 'yes' : 'no',
    ...(options.busPort === undefined ? [] : ['--cluster-enabled', 'yes', '--cluster-port', String(options.busPort)]),
  ]
  const child = spawn(binary, settings, { cwd: options.dir, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const output = new LastLines(child)
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`Redis ended while it started:\n${output.text()}`)))
    child.stdout?.on('data', (text: string) => {
      if (/ready to accept connections/i.test(text)) resolve()
    })
  })
  return { url: `redis://127.0.0.1:${port}`, process: child, stop: () => endProcess(child, 'SIGTERM', 10_000) }
}
