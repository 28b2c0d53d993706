/** Takes one request through the order of checks, from its slot to its answer. */
import { apiError, noSuchRoute, type Refusal, RefusalError, serverBusy } from '@worlds/domain/errors'
import { namesParam, parseQuery, type Query } from '@worlds/domain/query'
import type { Log } from '@worlds/runtime/log'
import { isAway, isCancelled } from '@worlds/runtime/rpc-client'
import type { NextFunction, Request, Response } from 'express'
import type { Counter } from 'prom-client'
import { admitAccount } from '../access/account-token'
import { type AccessScope, identify, type KeyedRequest } from '../access/admit'
import type { Clients } from '../clients'
import type { RouteMetrics } from '../metrics'
import type { AccountRoute, Call, CodeRoute, Route, ToolCall, WorldRoute } from '../routes/route'
import { type Answer, type FinalAnswer, refuse } from './answer'
import { type CorsConfig, corsHeaders } from './cors'
import { type DeliveryLimits, deliver, send } from './deliver'
import { Departure } from './departure'
import { current, unmatched } from './dialect'
import { type BodyLimits, type ReceivedBody, readBody } from './read-body'
import { ClientLeft, type RequestSlots, Slot } from './request-slots'
import { runWorld } from './run-world'
import { countHeader } from './server'

export interface RouteScope extends AccessScope, BodyLimits, DeliveryLimits {
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
    const slot = new Slot(scope.slots, departure, clientOf(request))
    const received: ReceivedBody[] = []
    let answer: FinalAnswer
    let admitted = false
    try {
      await slot.acquire()
      admitted = true
      const call = toCall(scope, route, request, response, departure, slot, received)
      answer = await run(scope, route, request, call, headers)
      await deliver(response, answer, headers, scope, () => slot.release())
    } catch (error) {
      const refusal = refusalOf(scope, error, admitted)
      // Once a reply has begun, nothing but its end can tell the client, and must not look like a good one.
      if (response.headersSent) response.destroy()
      answer = refuse(refusal)
    }
    slot.release()
    for (const body of received) body.release()
    scope.metrics.answered(answer)
    if (answer.kind === 'refusal') send(response, answer, headers, scope.docsUrl, route.dialect)
    end({ status: response.statusCode })
  }
}

/** Names the client whose requests share turns: by its credential as it was sent, else by its address. */
function clientOf({ headers, ip = '' }: Request): string {
  const credential = headers['api-key'] ?? headers.authorization
  return credential === undefined || credential === '' ? ip : String(credential).slice(0, 200)
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

/** Agents read a page as text and as structure, and no agent reads more at once. */
const toolPageBytes = 1 << 20

function toToolCall(scope: RouteScope, request: Request, call: Call, headers: Record<string, string>): ToolCall {
  const { clients, departure, header, headerCount, body, working } = call
  let identified: Promise<Refusal | null> | undefined
  return {
    ...{ clients, departure, header, headerCount, body, working },
    pageBytes: toolPageBytes,
    params: {},
    query: new Map(),
    docsUrl: scope.docsUrl,
    identify() {
      identified ??= identify(scope, keyedBy(request, false)).then((identification) => {
        Object.assign(headers, identification.headers)
        return identification.refusal
      })
      return identified
    },
    ask: (route, { params, query, body }) => {
      const own = { header: () => undefined, headerCount: () => 0, body: async () => body }
      const asked = { clients, departure, working, pageBytes: toolPageBytes, params, query, ...own }
      const keyed = { ...keyedBy(request, false), isBudgeted: identified !== undefined }
      return runWorld(scope, route, keyed, asked, headers)
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
  slot: Slot,
  received: ReceivedBody[],
): Call {
  let query: Query | undefined
  let body: Promise<Buffer> | undefined
  const receive = async (limit: number | undefined) => {
    const whole = await readBody(request, response, slot, scope, limit)
    received.push(whole)
    return whole.bytes
  }
  return {
    clients: scope.clients,
    params: request.params as Record<string, string>,
    get query() {
      query ??= parseQuery(searchOf(request), onlyParams ?? null)
      return query
    },
    header: (name) => request.headers[name] as string | undefined,
    headerCount: (name) => countHeader(request, name),
    body: (limit) => {
      body ??= receive(limit)
      return body
    },
    departure,
    pageBytes: 0,
    async working(work) {
      await slot.acquireAgain()
      return work().finally(() => slot.release())
    },
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
