import { timingSafeEqual } from 'node:crypto'
import {
  type Metadata,
  Server,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import type { Frames, Frames__Output } from '@worlds/proto/generated/worlds/channel/v1/Frames'
import { channelV1 } from '@worlds/proto/load'
import { HealthImplementation } from 'grpc-health-check'
import type { FrameSender } from './frame-sender'
import { CallContext, type Operation } from './operation'
import { channelOptions } from './rpc-options'
import { type Method, serveStream } from './serve-stream'
import { readServiceTokens } from './service-tokens'
import { serverCredentials, type TlsFiles } from './tls'

export interface RpcServer {
  add(definition: ServiceDefinition, operations: Readonly<Record<string, Operation>>): void
  /** Binds and serves; resolves to `host:port`. */
  listen(host: string, port: number): Promise<string>
  stopTaking(): Promise<void>
  close(): void
}

export function createRpcServer(
  serviceToken: string,
  maxConnectionAgeMs: number,
  tls: TlsFiles | null = null,
): RpcServer {
  const health = new HealthImplementation({ '': 'SERVING' })
  const server = new Server({
    ...channelOptions,
    'grpc.max_connection_age_ms': maxConnectionAgeMs,
    'grpc.max_connection_age_grace_ms': 60_000,
  })
  health.addToServer(server)
  const tokens = readServiceTokens(serviceToken).map((token) => Buffer.from(token))
  const methods = new Map<string, Method>()
  const streams = new Set<FrameSender>()
  server.addService(channelV1.Channel.service, {
    Open: (stream: ServerDuplexStream<Frames__Output, Frames>) => {
      if (!carriesToken(stream.metadata, tokens)) return stream.emit('error', noToken)
      serveStream(stream, methods, streams)
    },
  })

  return {
    add(definition, operations) {
      for (const [name, operation] of Object.entries(operations)) {
        const { path, requestDeserialize, responseSerialize } = definition[name] ?? missing(name)
        methods.set(path, { operation, deserialize: requestDeserialize, serialize: responseSerialize })
      }
      server.addService(definition, implementationOf(operations, tokens))
    },
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.bindAsync(`${host}:${port}`, serverCredentials(tls), (error, bound) =>
          error ? reject(error) : resolve(`${host}:${bound}`),
        )
      }),
    stopTaking() {
      health.setStatus('', 'NOT_SERVING')
      for (const sender of streams) sender.send({ id: 0 })
      return new Promise((resolve) => server.tryShutdown(() => resolve()))
    },
    close: () => server.forceShutdown(),
  }
}

/** The same methods as calls of their own, for callers that make few. */
function implementationOf(
  operations: Readonly<Record<string, Operation>>,
  tokens: readonly Buffer[],
): UntypedServiceImplementation {
  const implementation: UntypedServiceImplementation = {}
  for (const [name, operation] of Object.entries(operations)) {
    implementation[name] = operation.streamed
      ? (call: ServerWritableStream<unknown, unknown>) => {
          if (!carriesToken(call.metadata, tokens)) return call.emit('error', noToken)
          const context = new CallContext()
          operation
            .run(call.request, context)
            .then((parts) => sendAll(call, parts, context))
            .catch((error) => call.emit('error', error))
            .finally(() => context.end())
        }
      : (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>) => {
          if (!carriesToken(call.metadata, tokens)) return callback(noToken)
          const context = new CallContext()
          operation
            .run(call.request, context)
            .then(
              ([reply]) => callback(null, reply),
              (error) => callback(error),
            )
            .finally(() => context.end())
        }
  }
  return implementation
}

async function sendAll(
  call: ServerWritableStream<unknown, unknown>,
  parts: readonly unknown[],
  context: CallContext,
): Promise<void> {
  context.beginTransfer(() => call.destroy())
  for (const part of parts) {
    if (call.cancelled) return
    if (!call.write(part)) {
      await new Promise<void>((resolve) => {
        call.once('drain', resolve)
        call.once('cancelled', resolve)
      })
    }
  }
  call.end()
}

const noToken = { code: status.UNAUTHENTICATED, details: 'service token' }

function carriesToken(metadata: Metadata, tokens: readonly Buffer[]): boolean {
  const [sent] = metadata.get('x-service-token')
  const actual = Buffer.from(String(sent ?? ''))
  return tokens.some((token) => actual.length === token.length && timingSafeEqual(actual, token))
}

function missing(name: string): never {
  throw new Error(`the service has no method ${name}`)
}
