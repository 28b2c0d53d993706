/** What the rows of abuse are written with. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Sent {
  readonly status: number
  readonly bytes: number
}

/** What the largest reply was, and how often each status came. */
export class Tally {
  readonly statuses = new Map<string, number>()
  largest = 0

  add(status: string | number, bytes = 0): void {
    const key = String(status)
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1)
    this.largest = Math.max(this.largest, bytes)
  }
}

export interface Call {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}

/** Sends a request, reads its reply at full speed and counts it. */
export async function send(
  gateway: string,
  tally: Tally,
  { method = 'GET', path, headers = {}, body }: Call,
): Promise<void> {
  try {
    const init = body === undefined ? {} : { body }
    const signal = AbortSignal.timeout(60_000)
    const reply = await fetch(gateway + path, { method, headers, signal, ...init })
    let bytes = 0
    for await (const chunk of reply.body ?? []) bytes += (chunk as Uint8Array).length
    tally.add(reply.status, bytes)
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name?: string }
    tally.add(cause?.code ?? name ?? 'failed')
  }
}

/** Runs it so often at once. */
export function atOnce(count: number, work: (index: number) => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)))
}

/** Connections that send a request byte by byte, or never read its reply, for so long. */
export async function slowly(
  gateway: string,
  count: number,
  ms: number,
  behave: (socket: Socket, index: number) => void,
): Promise<void> {
  const { hostname, port } = new URL(gateway)
  const sockets: Socket[] = []
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect').catch(() => undefined)
    behave(socket, index)
  }
  await sleep(ms)
  for (const socket of sockets) socket.destroy()
}

export function head(method: string, path: string, headers: Record<string, string>, length?: number): string {
  const all = { host: 'here', ...headers, ...(length === undefined ? {} : { 'content-length': String(length) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
}

export const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A message to the agent tool server. */
export function toolCall(name: string, args: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
}
