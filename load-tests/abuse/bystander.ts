/**
 * A well-behaved client on a key of its own, in a thread of its own: it reads, lists and writes about ten times a second
 * during the abuse, and reports the times and failures that it saw.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, Worker, workerData } from 'node:worker_threads'

export interface Sight {
  readonly requests: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Replies that were no 2xx, and requests without one. */
  readonly failures: readonly string[]
}

interface Task {
  readonly gateway: string
  readonly headers: Record<string, string>
}

export class Bystander {
  readonly #worker: Worker

  constructor(task: Task) {
    this.#worker = new Worker(__filename, { workerData: task })
  }

  /** What it has seen since the last time this was asked. */
  look(): Promise<Sight> {
    return new Promise((resolve) => {
      this.#worker.once('message', resolve)
      this.#worker.postMessage('look')
    })
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}

async function run({ gateway, headers }: Task): Promise<void> {
  let times: number[] = []
  let failures: string[] = []
  parentPort?.on('message', () => {
    const sorted = times.toSorted((a, b) => a - b)
    const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0
    parentPort?.postMessage({ requests: sorted.length, p99Ms, longestMs: sorted.at(-1) ?? 0, failures })
    times = []
    failures = []
  })
  const calls: [string, string, string?][] = [
    ['GET', '/api/v2/world'],
    ['GET', '/api/v2/character?limit=10'],
    ['POST', '/api/v2/character', '{"name":"Somebody"}'],
    ['GET', '/api/v2/changes?head=true'],
  ]
  for (let turn = 0; ; turn += 1) {
    const [method, path, body] = calls[turn % calls.length] as [string, string, string?]
    const began = performance.now()
    try {
      const reply = await fetch(gateway + path, { method, headers, ...(body === undefined ? {} : { body }) })
      await reply.arrayBuffer()
      if (!reply.ok) failures.push(`${method} ${path}: ${reply.status}`)
    } catch (error) {
      failures.push(`${method} ${path}: ${String(error)}`)
    }
    times.push(performance.now() - began)
    await sleep(50)
  }
}

if (parentPort !== null) void run(workerData as Task)
