import { serverBusy } from '@worlds/domain/errors'
import { ByteBudget } from '@worlds/runtime/byte-budget'
import { closeWithReply, drain, listen } from '@worlds/runtime/http-server'
import type { Log } from '@worlds/runtime/log'
import type { Metrics } from '@worlds/runtime/metrics'
import { PinGuard } from '@worlds/runtime/pin-guard'
import type { Service } from '@worlds/runtime/process'
import { createRedis, firstConnection } from '@worlds/runtime/redis'
import type { Express, NextFunction, Request, Response } from 'express'
import { Budget } from './access/budget'
import { PinNotifier } from './access/pin-notifier'
import { WorldKeys } from './access/world-key'
import { createClients } from './clients'
import type { GatewayConfig } from './config'
import { serveDocs } from './docs/serve'
import { HealthCheck } from './health-check'
import { json, refuse } from './http/answer'
import { type CorsConfig, corsHeaders, preflightHeaders } from './http/cors'
import { send } from './http/deliver'
import { refuseAmbiguous } from './http/refuse-ambiguous'
import { RequestSlots, watchSlots } from './http/request-slots'
import { type RouteScope, refuseUnmatched, runRoute } from './http/run-route'
import { createHttpServer } from './http/server'
import { mcpHeaders, mcpRoute, refuseMethods, refuseOrigins } from './mcp/route'
import { createRouteMetrics, watchTransfers } from './metrics'
import { openPaths } from './openapi/open'
import { withSlash } from './routes/classic'
import { devMail } from './routes/dev-mail'
import { routes } from './routes/table'

/** Puts the public host together over the services behind it and starts it. */
export async function startGateway(config: GatewayConfig, log: Log, metrics: Metrics): Promise<Service> {
  const redis = createRedis(config.redisUrl, config.redisPrefix, log)
  await firstConnection(redis, 2_000)
  const clients = createClients(config.clients)
  const slots = new RequestSlots(config.slots)
  const budget = new Budget(redis, config.budget)
  const { app, server } = createHttpServer(config.limits, config.docsUrl)
  if (config.trustProxy !== '') app.set('trust proxy', trustOf(config.trustProxy))

  const ingest = new ByteBudget(config.transfers.ingestBytes)
  const replies = new ByteBudget(config.transfers.replyBytes)
  watchTransfers(metrics, server, ingest, replies)
  addRoutes(app, config.devMail, {
    clients,
    slots,
    slotsRefused: watchSlots(slots, config.slots, metrics.registry),
    metrics: createRouteMetrics(metrics),
    keys: new WorldKeys(clients, budget, config.peppers, config.principalTtlMs),
    budget,
    pins: new PinGuard(redis, config.pins),
    notifier: new PinNotifier(clients, log),
    peppers: config.peppers,
    ingest,
    replies,
    slowClients: config.transfers.slowClients,
    log,
    cors: config.cors,
    docsUrl: config.docsUrl,
    extensionPrefixes: config.extensionPrefixes,
  })

  const address = await listen(server, config.host, config.port, 'the server', log)
  return {
    address,
    async ready() {
      await clients.probe()
      return true
    },
    beginDrain: () => closeWithReply(server),
    stopTaking() {
      slots.close()
      return drain(server)
    },
    async close() {
      server.closeAllConnections()
      clients.close()
      redis.disconnect()
    },
  }
}

function addRoutes(app: Express, showsMail: boolean, scope: RouteScope): void {
  const { cors, docsUrl, clients } = scope
  app.use(refuseAmbiguous(cors, docsUrl, scope.metrics))
  if (showsMail) app.get('/dev/mail', devMail(clients, docsUrl))
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (request.method !== 'OPTIONS') return next()
    const { origin } = request.headers
    const more = /^\/mcp\/?$/.test(request.path) ? mcpHeaders : []
    response.writeHead(204, { ...corsHeaders(origin, cors), ...preflightHeaders(origin, cors, more) }).end()
  })
  const health = new HealthCheck(() => clients.probe())
  app.get(openPaths.health, async (request: Request, response: Response) => {
    const answer = (await health.isHealthy())
      ? json(200, { status: 'ok', service: 'world-data-service' })
      : refuse(serverBusy())
    send(response, answer, corsHeaders(request.headers.origin, cors), docsUrl)
  })
  app.use('/api/worldapi', redirect(cors))
  for (const route of routes) app[route.method](route.path, runRoute(scope, route))
  app.post(mcpRoute.path, refuseOrigins(cors, docsUrl), runRoute(scope, mcpRoute))
  app.all(mcpRoute.path, refuseMethods(cors))
  serveDocs(app, scope)
  app.use(refuseUnmatched(cors, docsUrl))
  app.use((_error: unknown, request: Request, response: Response, _next: NextFunction) => {
    refuseUnmatched(cors, docsUrl)(request, response)
  })
}

/** Single elements of the classic dialect have a slash at the end: before all else, whatever the method (A85). */
function redirect(cors: CorsConfig) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const [path = '', ...search] = request.originalUrl.split('?')
    const location = withSlash(path, search.length === 0 ? '' : `?${search.join('?')}`)
    if (location === null) next()
    else response.writeHead(301, { ...corsHeaders(request.headers.origin, cors), location, 'content-length': 0 }).end()
  }
}

/** Express takes a number of hops, `true`, or a list of subnets. */
function trustOf(setting: string): number | boolean | string {
  if (/^\d+$/.test(setting)) return Number(setting)
  return setting === 'true' ? true : setting
}
