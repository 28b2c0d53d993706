import type { Refusal } from '@worlds/domain/errors'
import type { NextFunction, Request, Response } from 'express'
import { type Answer, refuse } from '../http/answer'
import { type CorsConfig, corsHeaders, isAllowedOrigin } from '../http/cors'
import { send } from '../http/deliver'
import { anonymousBodyLimit, bodyLimit } from '../http/read-body'
import type { ToolCall, ToolRoute } from '../routes/route'
import { serveMcp } from './server'

/** The agent tool server: stateless, so that any replica answers (D15 to D17). */
export const mcpRoute: ToolRoute = { method: 'post', path: '/mcp', access: 'tools', handle }

/** Request headers that clients of the protocol send. */
export const mcpHeaders = ['MCP-Protocol-Version', 'Mcp-Session-Id', 'Last-Event-ID']

async function handle(call: ToolCall): Promise<Answer> {
  const { status, body } = await serveMcp(await call.body(await bodyLimitOf(call)), call)
  return { kind: 'reply', status, body: body === '' ? null : [Buffer.from(body)] }
}

/** More than a short message is read of known keys alone. */
async function bodyLimitOf(call: ToolCall): Promise<number> {
  const length = call.header('content-length')
  if (length !== undefined && Number(length) <= anonymousBodyLimit) return anonymousBodyLimit
  return (await call.identify()) === null ? bodyLimit : anonymousBodyLimit
}

/** A page of an origin that may not call is kept from calling at all: a tool needs no reply to be read to do harm. */
export function refuseOrigins(cors: CorsConfig, docsUrl: string) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const { origin } = request.headers
    if (origin === undefined || isAllowedOrigin(origin, cors)) next()
    else send(response, refuse(badOrigin), corsHeaders(origin, cors), docsUrl)
  }
}

const badOrigin: Refusal = {
  code: 'permission_error',
  message: 'This origin may not call the agent tool server.',
  param: null,
}

/** No stream is opened here, and no session ended. */
export function refuseMethods(cors: CorsConfig) {
  return (request: Request, response: Response): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: 'Method not allowed.' }, id: null })
    const headers = { ...corsHeaders(request.headers.origin, cors), allow: 'POST', 'content-type': 'application/json' }
    response.writeHead(405, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }
}
