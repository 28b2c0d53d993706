/** One request of the Model Context Protocol, by a server of its own: nothing is kept between requests. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { clip, RefusalError, statusOf } from '@worlds/domain/errors'
import { scanMembers } from '@worlds/domain/json-spans'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { type FinalAnswer, refuse } from '../http/answer'
import { bodyLimit } from '../http/read-body'
import type { ToolCall } from '../routes/route'
import { readMessage, type ToolUse } from './message'
import { readTools } from './read-tools'
import { toResult } from './result'
import { schemaTools } from './schema-tools'
import { refused, toSchema } from './shapes'
import type { Tool } from './tool'
import { writeTools } from './write-tools'

/** A refusal is a result too: clients hold results to this even where they are errors. */
function outputOf(good: z.ZodObject): { type: 'object' } {
  return { ...toSchema(z.union([good, refused]), 'input'), type: 'object' }
}

const tools: ReadonlyMap<string, Tool> = new Map(
  [...schemaTools, ...readTools, ...writeTools].map((tool) => [tool.name, tool]),
)

const listed = {
  tools: [...tools.values()].map(({ name, title, description, annotations, input, output }) => ({
    ...{ name, title, description },
    annotations: { title, ...annotations, openWorldHint: false },
    inputSchema: toSchema(input),
    ...(output === null ? {} : { outputSchema: outputOf(output) }),
  })),
}

const info = { name: 'world-data-service', title: 'World Data Service', version: '1.0.0' }
const options = {
  capabilities: { tools: {} },
  instructions:
    'Elements of a world, of 22 categories, linked to each other. Learn fields with get_element_schema before you write; find ids with search_elements.',
  // Each server would make one of its own, which costs more than the call.
  jsonSchemaValidator: new AjvJsonSchemaValidator(),
}

export interface McpReply {
  readonly status: number
  readonly body: string
}

const batchRefused: McpReply = {
  status: 400,
  body: JSON.stringify({
    jsonrpc: '2.0',
    error: { code: ErrorCode.InvalidRequest, message: 'Send one message at a time: batches are not taken.' },
    id: null,
  }),
}

/** Of no meaning: the transport asks for one. */
const url = 'http://localhost/mcp'

/** Stands for whatever is none: the transport reads more than JSON.parse does, and would take what was not looked at. */
const noJson = '{'

/**
 * Answers one POST of one message. Throws what is told as an HTTP status of its own (D16), and every fault. Several
 * at once, which later versions of the protocol have dropped, would be many requests in one's slot.
 */
export async function serveMcp(bytes: Buffer, call: ToolCall): Promise<McpReply> {
  const message = readMessage(bytes)
  if (message === 'batch') return batchRefused
  const faults: unknown[] = []
  const server = new Server(info, options)
  server.setRequestHandler(ListToolsRequestSchema, () => listed)
  server.setRequestHandler(CallToolRequestSchema, async () => {
    if (message === null || message.toolUse === null) throw new Error('a tool was called without a call')
    const tool = findTool(message.toolUse)
    try {
      return await runTool(tool, message.toolUse, call, bytes)
    } catch (error) {
      // The protocol would tell its text.
      if (!(error instanceof McpError)) faults.push(error)
      throw error
    }
  })
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: bodyLimit,
  })
  await server.connect(transport)
  // Neither is closed: with the answer to its one message nothing of it is open.
  const request = requestOf(call)
  const { headers } = request
  const response = await (message === null
    ? transport.handleRequest(new Request(url, { method: 'POST', headers, body: noJson }))
    : transport.handleRequest(request, { parsedBody: message.reduced }))
  if (faults.length > 0) throw faults[0]
  return { status: response.status, body: await response.text() }
}

function findTool({ name }: ToolUse): Tool {
  const tool = tools.get(name)
  if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${clip(name)}.`)
  return tool
}

/** Checks the key before the arguments. */
async function runTool(tool: Tool, { args: sent }: ToolUse, call: ToolCall, bytes: Buffer): Promise<CallToolResult> {
  const refusal = tool.needsKey ? await call.identify() : null
  const answer =
    refusal === null ? await tool.run(readArguments(tool, sent), call, rawArguments(bytes)) : refuse(refusal)
  if (isHttp(answer)) throw new RefusalError(answer.refusal)
  return toResult(tool, answer, call.docsUrl)
}

/** Limits on what an error says of wrong arguments: issues and bytes. */
const issuesTold = 10
const issueBytes = 4_096

function readArguments(tool: Tool, sent: unknown): Record<string, unknown> {
  const { success, data, error } = tool.input.safeParse(sent)
  if (success) return data
  const text = z.prettifyError({ ...error, issues: error.issues.slice(0, issuesTold) })
  throw new McpError(ErrorCode.InvalidParams, Buffer.from(text).subarray(0, issueBytes).toString())
}

function isHttp(answer: FinalAnswer): answer is Extract<FinalAnswer, { kind: 'refusal' }> {
  return answer.kind === 'refusal' && [413, 429, 503].includes(statusOf(answer.refusal.code))
}

/** Those headers that the protocol knows. */
const headerNames = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id']

/** Without their messages most requests are alike, and to make one costs more than to read its message. */
const requests = new LRUCache<string, Request>({ max: 100 })

function requestOf({ header }: ToolCall): Request {
  const values = headerNames.map((name) => header(name))
  const key = JSON.stringify(values)
  let request = requests.get(key)
  if (request === undefined) {
    const headers = headerNames.flatMap((name, index) => (values[index] === undefined ? [] : [[name, values[index]]]))
    request = new Request(url, { method: 'POST', headers: headers as [string, string][] })
    requests.set(key, request)
  }
  return request
}

/** Arguments as they were written, by name; few tools ask for any. */
function rawArguments(bytes: Buffer): (name: string) => string {
  return (name) => {
    const params = scanMembers(bytes.toString()).get('params') ?? '{}'
    return scanMembers(scanMembers(params).get('arguments') ?? '{}').get(name) ?? 'null'
  }
}
