/** One message of the protocol, reduced to what the server looks at: its cost does not grow with what else was sent. */
import { nestingExcess } from '@worlds/domain/json-nesting'

export interface ToolUse {
  readonly name: string
  /** As they were sent, of any shape. */
  readonly args: unknown
}

export interface Message {
  /** What the protocol's library is given: known members alone, a tool's arguments left out. */
  readonly reduced: unknown
  /** Null for any message that does not call a tool. */
  readonly toolUse: ToolUse | null
}

/** Lists, objects and names of one message: those of a thousand elements with all their fields. */
const partsLimit = 60_000

/** Null for what is no JSON, or nests deeper than any message does. */
export function readMessage(bytes: Buffer): Message | 'batch' | null {
  if (nestingExcess(bytes, partsLimit) !== null) return null
  const parsed = parse(bytes)
  if (Array.isArray(parsed)) return 'batch'
  if (!isRecord(parsed)) return parsed === undefined ? null : { reduced: null, toolUse: null }
  const { jsonrpc, method } = parsed
  const id = Object.hasOwn(parsed, 'id') ? { id: isId(parsed.id) ? parsed.id : null } : {}
  if (typeof method !== 'string') {
    return { reduced: { jsonrpc, ...id, ...answerOf(parsed) }, toolUse: null }
  }
  const sent = isRecord(parsed.params) ? parsed.params : {}
  const params = reduceParams(method, sent)
  const isToolUse = method === 'tools/call' && typeof sent.name === 'string'
  return {
    reduced: { jsonrpc, ...id, method, ...(params === null ? {} : { params }) },
    toolUse: isToolUse ? { name: String(sent.name), args: sent.arguments ?? {} } : null,
  }
}

/** Members that the server reads, by method; null for methods of which it reads none. */
function reduceParams(method: string, sent: Record<string, unknown>): Record<string, unknown> | null {
  if (method === 'tools/call') return { name: sent.name }
  if (method !== 'initialize') return null
  const { protocolVersion, clientInfo } = sent
  const { name, version } = isRecord(clientInfo) ? clientInfo : {}
  return { protocolVersion, capabilities: {}, clientInfo: { name, version } }
}

/** A client's answer, to a server that asks nothing. */
function answerOf(message: Record<string, unknown>): Record<string, unknown> {
  if (Object.hasOwn(message, 'result')) return { result: {} }
  return Object.hasOwn(message, 'error') ? { error: { code: 0, message: '' } } : {}
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
