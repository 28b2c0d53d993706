/** Takes one request through the order of checks, from its slot to its answer. */
import { apiError, badHttp, noSuchRoute, type Refusal, RefusalError, serverBusy } from '@worlds/domain/errors'
import { namesParam, parseQuery, type Query } from '@worlds/domain/query'
import type { Log } from '@worlds/runtime/log'
import { isAway, isCancelled } from '@worlds/runtime/rpc-client'
import type { NextFunction, Request, Response } from 'express'
import type { Counter } from 'prom-client'
import { admitAccount } from '../access/account-token'
import type { AccessScope, KeyedRequest } from '../access/admit'
import type { Clients } from '../clients'
import type { RouteMetrics } from '../metrics'
import type { AccountRoute, Call, CodeRoute, Route, ToolCall, WorldRoute } from '../routes/route'
import { type Answer, type FinalAnswer, refuse, send, sendStream } from './answer'
import { type CorsConfig, corsHeaders } from './cors'
import { Departure } from './departure'
import { current, unmatched } from './dialect'
import { readBody } from './read-body'
import { ClientLeft, type RequestSlots } from './request-slots'
import { runWorld } from './run-world'
import { countHeader, isAmbiguous } from './server'

export interface RouteScope extends AccessScope {
  readonly clients: Clients
  readonly slots: RequestSlots
  readonly slotsRefused: Counter
  readonly metrics: RouteMetrics
  readonly log: Log
  readonly cors: CorsConfig
  readonly docsUrl: string
  readonly extensionPrefixes: readonly string[]
}

export function runRoute(scope: RouteScope, route: Route) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const params = request.params as Record<string, string>
    if (route.matches !== undefined && !route.matches(params)) return next()
    const end = scope.metrics.served.startTimer({ method: request.method, route: route.path })
    const headers = corsHeaders(request.headers.origin, scope.cors)
    if (route.isNeverKept) headers['cache-control'] = 'no-store'
    const departure = new Departure(response)
    let release: (() => void) | undefined
    let answer: FinalAnswer
    try {
      if (isAmbiguous(request)) throw new RefusalError(badHttp())
      release = await scope.slots.acquire(departure)
      const call = toCall(scope, route, request, response, departure)
      answer = await run(scope, route, request, call, headers)
    } catch (error) {
      answer = refuse(refusalOf(scope, error, release !== undefined))
    }
    scope.metrics.answered(answer)
    if (answer.kind === 'stream') {
      await sendStream(response, answer.pieces, headers).catch((error: unknown) => {
        // Nothing but its end can tell the client, and must not look like a good one.
        response.destroy()
        refusalOf(scope, error, true)
      })
    } else {
      send(response, answer, headers, scope.docsUrl, route.dialect)
    }
    // A reply that its client does not take yet still occupies its place.
    if (release !== undefined) {
      if (response.writableLength === 0 || response.destroyed) release()
      else response.once('close', release)
    }
    end({ status: response.statusCode })
  }
}

function run(
  scope: RouteScope,
  route: Route,
  request: Request,
  call: Call,
  headers: Record<string, string>,
): Promise<FinalAnswer> {
  if (route.access === 'account') return runAccount(scope, route, request, call, headers)
  if (route.access === 'code') return runCode(scope, route, request, call)
  if (route.access === 'open') return runOpen(route.handle(call))
  if (route.access === 'tools') return runOpen(route.handle(toToolCall(scope, request, call, headers)))
  const key = request.headers['api-key'] as string | undefined
  if (route.keyless !== undefined && (key === undefined || key === '')) return runOpen(route.keyless(call))
  return runWorld(scope, route, keyedBy(request, hasStrayAs(route, request)), call, headers)
}

function keyedBy(request: Request, strayAs: boolean): KeyedRequest {
  return {
    key: request.headers['api-key'] as string | undefined,
    pin: request.headers['api-pin'] as string | undefined,
    address: () => request.ip ?? '',
    strayAs,
  }
}

function toToolCall(scope: RouteScope, request: Request, call: Call, headers: Record<string, string>): ToolCall {
  const { clients, departure, header, headerCount, body } = call
  return {
    ...{ clients, departure, header, headerCount, body },
    params: {},
    query: new Map(),
    docsUrl: scope.docsUrl,
    ask: (route, { params, query, body }) => {
      const own = { header: () => undefined, headerCount: () => 0, body: async () => body }
      return runWorld(scope, route, keyedBy(request, false), { clients, departure, params, query, ...own }, headers)
    },
  }
}

async function runOpen(handled: Promise<Answer>): Promise<FinalAnswer> {
  const answer = await handled
  return answer.kind === 'ask-again' ? refuse(apiError()) : answer
}

async function runAccount(
  scope: RouteScope,
  route: AccountRoute,
  request: Request,
  call: Call,
  headers: Record<string, string>,
): Promise<FinalAnswer> {
  const address = request.ip ?? ''
  const admission = await admitAccount(scope, request.headers.authorization, address)
  Object.assign(headers, admission.headers)
  if ('refusal' in admission) return refuse(admission.refusal)
  const answer = await route.handle({ ...call, accountId: admission.accountId, address })
  return answer.kind === 'ask-again' ? refuse(apiError()) : answer
}

/** An unknown code counts as an unknown key does. */
async function runCode({ budget }: RouteScope, route: CodeRoute, request: Request, call: Call): Promise<FinalAnswer> {
  const answer = await route.handle(call)
  if (answer.kind === 'ask-again') return refuse(apiError())
  if (answer.kind !== 'refusal' || answer.refusal.code !== 'not_found') return answer
  return refuse((await budget.spendUnknown(request.ip ?? '')) ?? answer.refusal)
}

function toCall(
  scope: RouteScope,
  { onlyParams }: Route,
  request: Request,
  response: Response,
  departure: Departure,
): Call {
  let query: Query | undefined
  let body: Promise<Buffer> | undefined
  return {
    clients: scope.clients,
    params: request.params as Record<string, string>,
    get query() {
      query ??= parseQuery(searchOf(request), onlyParams ?? null)
      return query
    },
    header: (name) => request.headers[name] as string | undefined,
    headerCount: (name) => countHeader(request, name),
    body: () => {
      body ??= readBody(request, response)
      return body
    },
    departure,
  }
}

function searchOf({ url }: Request): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

/** `as` is told before scope and PIN. */
function hasStrayAs({ takesAs }: WorldRoute, request: Request): boolean {
  return takesAs !== true && namesParam(searchOf(request), 'as')
}

function refusalOf({ log, slotsRefused }: RouteScope, error: unknown, admitted: boolean): Refusal {
  if (error instanceof RefusalError) {
    if (!admitted && error.refusal.code === 'server_busy') slotsRefused.inc()
    return error.refusal
  }
  if (error instanceof ClientLeft || isCancelled(error)) return apiError()
  if (isAway(error)) {
    log.warn({ err: error }, 'a service is away')
    return serverBusy()
  }
  log.error({ err: error }, 'the request failed')
  return apiError()
}

/** Answers what no route matched, and what express itself refused. */
export function refuseUnmatched(cors: CorsConfig, docsUrl: string) {
  return (request: Request, response: Response): void => {
    const dialect = request.path.startsWith('/api/worldapi/') ? unmatched : current
    send(response, refuse(noSuchRoute()), corsHeaders(request.headers.origin, cors), docsUrl, dialect)
  }
}
