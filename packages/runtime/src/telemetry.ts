/**
 * Traces, for a process that is told where to send them. Must be imported before anything that is
 * instrumented: the instrumentations patch modules as they are first required. The SDK reads the
 * standard OTEL_* variables itself and is not even loaded without an endpoint.
 */
export interface Telemetry {
  stop(): Promise<void>
}

export function startTelemetry(service: string, env: Record<string, string | undefined>): Telemetry {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT) return { stop: async () => {} }
  const { NodeSDK } = require('@opentelemetry/sdk-node') as typeof import('@opentelemetry/sdk-node')
  const { HttpInstrumentation } =
    require('@opentelemetry/instrumentation-http') as typeof import('@opentelemetry/instrumentation-http')
  const { GrpcInstrumentation } =
    require('@opentelemetry/instrumentation-grpc') as typeof import('@opentelemetry/instrumentation-grpc')
  const { PgInstrumentation } =
    require('@opentelemetry/instrumentation-pg') as typeof import('@opentelemetry/instrumentation-pg')
  const { IORedisInstrumentation } =
    require('@opentelemetry/instrumentation-ioredis') as typeof import('@opentelemetry/instrumentation-ioredis')
  const { AwsInstrumentation } =
    require('@opentelemetry/instrumentation-aws-sdk') as typeof import('@opentelemetry/instrumentation-aws-sdk')
  const sdk = new NodeSDK({
    serviceName: env.OTEL_SERVICE_NAME ?? service,
    instrumentations: [
      new HttpInstrumentation({ ignoreIncomingRequestHook: (request) => isProbe(request.url) }),
      new GrpcInstrumentation(),
      new AwsInstrumentation({ suppressInternalInstrumentation: true }),
      new PgInstrumentation({ enhancedDatabaseReporting: false }),
      // Arguments carry digests of credentials, so the statement is the command's name alone.
      new IORedisInstrumentation({ dbStatementSerializer: (command) => command }),
    ],
  })
  sdk.start()
  return { stop: () => sdk.shutdown() }
}

function isProbe(url: string | undefined): boolean {
  return url === '/livez' || url === '/readyz' || url === '/metrics'
}
