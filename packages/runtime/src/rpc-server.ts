import { timingSafeEqual } from 'node:crypto'
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import type { Log } from './log'
import type { Metrics } from './metrics'

export const channelOptions = {
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  'grpc.max_receive_message_length': 16 << 20,
  'grpc.max_send_message_length': 16 << 20,
  'grpc-node.flow_control_window': 8 << 20,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.service_config_disable_resolution': 1,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
}

export interface RpcServer {
  add<Definition extends ServiceDefinition>(definition: Definition, handlers: UntypedServiceImplementation): void
  /** Binds and serves; resolves to `host:port`. */
  listen(host: string, port: number): Promise<string>
  stopTaking(): Promise<void>
  close(): void
}

export function createRpcServer(serviceToken: string, maxConnectionAgeMs: number): RpcServer {
  const health = new HealthImplementation({ '': 'SERVING' })
  const server = new Server({
    ...channelOptions,
    'grpc.max_connection_age_ms': maxConnectionAgeMs,
    'grpc.max_connection_age_grace_ms': 60_000,
  })
  health.addToServer(server)
  const token = Buffer.from(serviceToken)

  return {
    add(definition, handlers) {
      const guarded: UntypedServiceImplementation = {}
      for (const [name, handler] of Object.entries(handlers)) {
        // biome-ignore lint/suspicious/noExplicitAny: grpc-js types a service's handlers as one union.
        guarded[name] = (call: any, callback: any) => {
          if (carriesToken(call.metadata, token)) return (handler as (call: unknown, callback: unknown) => void)(call, callback)
          const refused = { code: status.UNAUTHENTICATED, details: 'service token' }
          return callback ? callback(refused) : call.emit('error', refused)
        }
      }
      server.addService(definition, guarded)
    },
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
          error ? reject(error) : resolve(`${host}:${bound}`),
        )
      }),
    stopTaking() {
      health.setStatus('', 'NOT_SERVING')
      return new Promise((resolve) => server.tryShutdown(() => resolve()))
    },
    close: () => server.forceShutdown(),
  }
}

function carriesToken(metadata: Metadata, token: Buffer): boolean {
  const [sent] = metadata.get('x-service-token')
  const actual = Buffer.from(String(sent ?? ''))
  return actual.length === token.length && timingSafeEqual(actual, token)
}

export interface CallContext {
  /** Aborted when the caller hung up or its deadline passed. */
  readonly signal: AbortSignal
}

export interface RpcScope {
  readonly log: Log
  readonly metrics: Metrics
}

/** Wraps a function from request to reply as a unary handler: measured, and faults logged once. */
export function unary<Request, Reply>(
  scope: RpcScope,
  method: string,
  handle: (request: Request, context: CallContext) => Promise<Reply>,
): handleUnaryCall<Request, Reply> {
  return (call, callback) => {
    const end = scope.metrics.rpcServed.startTimer({ method })
    const abort = new AbortController()
    call.on('cancelled', () => abort.abort())
    handle(call.request, { signal: abort.signal }).then(
      (reply) => {
        end({ outcome: 'ok' })
        callback(null, reply)
      },
      (error: unknown) => {
        end({ outcome: 'fault' })
        callback(toStatus(scope.log, method, error))
      },
    )
  }
}

/** Wraps a function that returns a whole answer in parts; nothing is sent before all parts stand. */
export function streamed<Request, Part>(
  scope: RpcScope,
  method: string,
  handle: (request: Request, context: CallContext) => Promise<Part[]>,
): handleServerStreamingCall<Request, Part> {
  return (call) => {
    const end = scope.metrics.rpcServed.startTimer({ method })
    const abort = new AbortController()
    call.on('cancelled', () => abort.abort())
    handle(call.request, { signal: abort.signal })
      .then((parts) => sendAll(call, parts, abort.signal))
      .then(
        () => end({ outcome: 'ok' }),
        (error: unknown) => {
          end({ outcome: 'fault' })
          call.emit('error', toStatus(scope.log, method, error))
        },
      )
  }
}

async function sendAll<Part>(call: ServerWritableStream<unknown, Part>, parts: Part[], signal: AbortSignal) {
  for (const part of parts) {
    if (signal.aborted) return
    if (!call.write(part)) {
      await new Promise<void>((resolve) => {
        call.once('drain', resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }
  call.end()
}

/** A fault another process is told of: away (worth another try) or internal. Its cause stays in the log. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
}

function toStatus(log: Log, method: string, error: unknown) {
  if (error instanceof UnavailableError || isConnectionLoss(error)) {
    log.warn({ err: error, method }, 'a dependency is away')
    return { code: status.UNAVAILABLE, details: 'a dependency is away' }
  }
  log.error({ err: error, method }, 'the call failed')
  return { code: status.INTERNAL, details: 'internal' }
}

/** The database refused, lost or starved the connection: nothing is wrong with the request itself. */
function isConnectionLoss(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string }
  if (/^(08|57P|53)/.test(String(code)) || /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT)/.test(String(code))) return true
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout/.test(message)
}
