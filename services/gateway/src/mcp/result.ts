/** A route's answer as a tool's result: the body as it is by HTTP, and for a refusal what to do next. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { type ErrorCode, envelope, type Refusal } from '@worlds/domain/errors'
import { nextTurn } from '@worlds/runtime/next-turn'
import type { FinalAnswer } from '../http/answer'
import type { Tool } from './tool'

/** Bytes that take some milliseconds to be parsed and serialized. */
const largeBytes = 64 << 10

export async function toResult(tool: Tool, answer: FinalAnswer, docsUrl: string): Promise<CallToolResult> {
  if (answer.kind === 'refusal') return toError(answer.refusal, docsUrl)
  const body = await bodyOf(answer)
  // Large results that are ready at the same time are made one a turn.
  if (body.length > largeBytes) await nextTurn()
  const text = body.toString()
  const content = [{ type: 'text' as const, text }]
  return tool.output === null ? { content } : { content, structuredContent: JSON.parse(text) }
}

async function bodyOf(answer: Exclude<FinalAnswer, { kind: 'refusal' }>): Promise<Buffer> {
  if (answer.kind === 'reply') return Buffer.concat(answer.body ?? [])
  const pieces: Buffer[] = []
  for await (const piece of answer.pieces) pieces.push(piece)
  return Buffer.concat(pieces)
}

function toError(refusal: Refusal, docsUrl: string): CallToolResult {
  const text = envelope(refusal, docsUrl)
  const hint = hints[refusal.code]
  return {
    isError: true,
    content: [{ type: 'text', text }, ...(hint === undefined ? [] : [{ type: 'text' as const, text: hint }])],
    structuredContent: JSON.parse(text),
  }
}

const askUser = 'Ask the person you work for: this needs another key or role.'

const hints: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Look at error.param. get_element_schema lists the fields of a category and their kinds.',
  invalid_link:
    'The field in error.param names an id that is no element of the category it links to. Find the right id with search_elements.',
  id_conflict: 'The id is taken. Leave it out to get a new one, or use update_element.',
  invalid_credentials: 'The API-Key or API-Pin of this connection is missing or wrong. Tell the person you work for.',
  key_revoked: 'The key of this connection was revoked. Tell the person you work for.',
  permission_error: askUser,
  not_author: 'Only who made the element may change it. You may read it, and make elements of your own.',
  guest_not_supported: askUser,
  not_found: 'There is no such element for you. Find ids with search_elements or list_elements.',
  resync_required: 'The cursor no longer fits. Call get_changes again without since.',
  apply_failed: 'The id is held elsewhere. Leave it out to get a new one.',
  media_unavailable: 'This server keeps no files.',
  api_error: 'Try again once; if it fails again, tell the person you work for.',
}
