/** Which codes a route may answer, and their replies as components that operations share. */
import { type ErrorCode, errorCodes, errorFamilies, familyOf, statusOf } from '@worlds/domain/errors'
import type { Route } from '../routes/route'
import type { Description } from './description'
import { errorGuide } from './error-guide'
import { described, oneOf, orNull, record, ref, type Schema, text, uri } from './schema'

export type Access = Route['access']

/** What of a route its errors follow from. */
export interface Facts {
  readonly method: string
  readonly path: string
  readonly access: Access
  readonly takesAs: boolean
  readonly isNeverKept: boolean
}

/** Told of any request, before a route is looked at. */
const ofEvery: readonly ErrorCode[] = ['bad_http', 'request_timeout', 'headers_too_large']
/** Told by any route behind the request slots. */
const ofRoutes: readonly ErrorCode[] = ['invalid_request', 'too_many_requests', 'api_error', 'server_busy']
const ofKeys: readonly ErrorCode[] = ['invalid_credentials', 'key_revoked']

/** In the order of the catalogue. */
export function codesOf(facts: Facts, { codes = [], body }: Description): ErrorCode[] {
  const { access, method, path } = facts
  const readsBody = body !== undefined || (access === 'account' && method !== 'get')
  const told = new Set<ErrorCode>([
    ...ofEvery,
    ...(access === 'open' ? [] : ofRoutes),
    ...(isOfKeys(access) ? ofKeys : []),
    ...(access === 'read' || access === 'write' ? (['rate_limited'] as const) : []),
    ...(access === 'write' ? (['permission_error'] as const) : []),
    ...(access === 'account' ? (['invalid_credentials'] as const) : []),
    ...(access === 'code' || (access === 'account' && path.includes('/:world')) ? (['not_found'] as const) : []),
    ...(facts.takesAs ? (['view_as_owner_only'] as const) : []),
    ...(readsBody ? (['payload_too_large'] as const) : []),
    ...codes,
  ])
  return errorCodes.filter((code) => told.has(code))
}

export function isOfKeys(access: Access): boolean {
  return access === 'roster' || access === 'read' || access === 'write'
}

/** Replies with a credential carry what is left of its budget. */
export function isBudgeted(access: Access): boolean {
  return isOfKeys(access) || access === 'account'
}

const errorProperties = {
  type: oneOf(...errorFamilies),
  code: described(text, 'Stable: decide by this.'),
  message: described(text, 'For people; its wording may change.'),
  param: described(orNull(text), 'The field, parameter or header at fault.'),
  doc_url: described(uri, 'The section of the docs on this code.'),
}

/** An envelope is open: some codes add to it. */
export const errorSchemas: Record<string, Schema> = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: { error: { ...record(errorProperties), additionalProperties: true } },
  },
  ErrorBody: { ...record(errorProperties), description: 'The error of one slot of a bulk reply.' },
}

/** Replies by their names among the components. */
export class ErrorReplies {
  readonly #components = new Map<string, Schema>()

  /** References to the replies of these codes, by status. */
  repliesOf(facts: Facts, codes: readonly ErrorCode[]): Record<string, Schema> {
    const statuses = [...new Set(codes.map(statusOf))].sort()
    return Object.fromEntries(
      statuses.map((status) => [
        status,
        this.#reply(
          facts,
          status,
          codes.filter((code) => statusOf(code) === status),
        ),
      ]),
    )
  }

  get components(): Record<string, Schema> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #reply({ access, isNeverKept }: Facts, status: number, codes: readonly ErrorCode[]): Schema {
    const marks = [isBudgeted(access) ? 'budgeted' : '', isNeverKept ? 'not-kept' : ''].filter(Boolean)
    const name = [status, ...codes, ...marks].join('.')
    if (!this.#components.has(name)) this.#components.set(name, replyOf(codes, isBudgeted(access), isNeverKept))
    return { $ref: `#/components/responses/${name}` }
  }
}

function replyOf(codes: readonly ErrorCode[], budgeted: boolean, isNeverKept: boolean): Schema {
  const retries = codes.some((code) => errorGuide[code].retryAfter)
  const headers = [
    ...(retries ? ['Retry-After'] : []),
    ...(budgeted ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []),
    ...(isNeverKept ? ['Cache-Control'] : []),
  ]
  return {
    description: codes.map((code) => `\`${code}\`: ${errorGuide[code].cause}`).join('\n\n'),
    ...(headers.length === 0 ? {} : { headers: headerRefs(headers) }),
    content: { 'application/json': { schema: { allOf: [ref('Error'), narrowed(codes)] } } },
    'x-codes': codes,
  }
}

export function headerRefs(names: readonly string[]): Schema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The codes that may come, and what they add to the envelope. */
function narrowed(codes: readonly ErrorCode[]): Schema {
  const families = [...new Set(codes.map(familyOf))]
  const error = { type: 'object', properties: { type: { enum: families }, code: { enum: codes } } }
  const [added, value] = (codes.length === 1 && additions[codes[0] ?? '']) || []
  if (added === undefined) return { type: 'object', properties: { error } }
  return { type: 'object', required: [added], properties: { error, [added]: value } }
}

const additions: Readonly<Record<string, readonly [name: string, value: Schema]>> = {
  resync_required: ['reason', oneOf('role', 'view')],
  precondition_failed: ['current', { ...ref('Element'), description: 'As the caller sees it now.' }],
}
