import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { Registry } from 'prom-client'
import type { HostConfig } from './config'
import { listen } from './http-server'
import type { Log } from './log'
import type { Telemetry } from './telemetry'

/**
 * Bytes that only pass through count as growth of a heap that is small beside them: by its own measure V8 then marks all
 * of it anew every few megabytes (ADR 19).
 */
const heapGrowth = '--heap-growing-percent=200'

/** A started service, as its process runs and stops it. */
export interface Service {
  /** What clients connect to: `host:port` for gRPC, a base URL for HTTP. */
  readonly address: string
  /** Further hosts that it serves, by name. */
  readonly also?: Readonly<Record<string, string>>
  /** Throws, or resolves false, while the service can't do its work. */
  ready(): Promise<boolean>
  /** Told as soon as the process is to stop; it goes on serving for `drainMs`. */
  beginDrain?(): void
  /** Takes no new work; what is under way may finish. */
  stopTaking(): Promise<void>
  /** Releases what the service holds. */
  close(): Promise<void>
}

/**
 * Runs a service until the process is told to stop, in phases: not ready, drain, stop taking, finish
 * what is under way, release, flush telemetry. A second signal ends the process at once.
 */
export async function runProcess(
  config: HostConfig,
  log: Log,
  registry: Registry,
  telemetry: Telemetry,
  start: () => Promise<Service>,
): Promise<void> {
  setFlagsFromString(heapGrowth)
  let stopping = false
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
  const service = await start()
  const probes = createProbes(registry, () => (stopping ? Promise.resolve(false) : service.ready()))
  const metrics = await listen(probes, config.host, config.metricsPort, 'the probes', log)
  log.info({ event: 'listening', address: service.address, metrics, ...service.also }, 'listening')

  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name))
  })
  stopping = true
  log.info({ event: 'stopping', signal }, 'stopping')
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => process.exit(1))
  const timer = setTimeout(() => process.exit(1), config.drainMs + config.shutdownMs + 5_000)
  timer.unref()

  service.beginDrain?.()
  await sleep(config.drainMs)
  await Promise.race([service.stopTaking(), sleep(config.shutdownMs)])
  await service.close()
  probes.close()
  probes.closeAllConnections()
  await telemetry.stop()
  log.info({ event: 'stopped' }, 'stopped')
  process.exit(0)
}

/** `/livez`, `/readyz` and `/metrics`, on a port of their own and outside every limit. */
function createProbes(registry: Registry, ready: () => Promise<boolean>): Server {
  return createServer(async (request, response) => {
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics())
    } else if (request.url === '/livez') {
      response.writeHead(200).end('ok\n')
    } else if (request.url === '/readyz') {
      const good = await ready().catch(() => false)
      response.writeHead(good ? 200 : 503).end(good ? 'ok\n' : 'not ready\n')
    } else {
      response.writeHead(404).end()
    }
  })
}
