/** The error catalogue: every code that is told, its family and its HTTP status. */

const catalogue = {
  invalid_request: ['invalid_request', 422],
  invalid_link: ['invalid_request', 400],
  id_conflict: ['invalid_request', 409],
  already_member: ['invalid_request', 409],
  pin_required: ['invalid_request', 409],
  resync_required: ['invalid_request', 409],
  precondition_failed: ['invalid_request', 412],
  apply_failed: ['invalid_request', 422],
  character_hidden: ['invalid_request', 422],
  file_too_large: ['invalid_request', 413],
  removal_in_flight: ['invalid_request', 409],
  upload_pending: ['invalid_request', 409],
  bad_http: ['invalid_request', 400],
  invalid_credentials: ['authentication_error', 401],
  key_revoked: ['authentication_error', 401],
  permission_error: ['permission_error', 403],
  not_author: ['permission_error', 403],
  owner_only: ['permission_error', 403],
  view_as_owner_only: ['permission_error', 403],
  guest_not_supported: ['permission_error', 403],
  files_full: ['permission_error', 403],
  storage_full: ['permission_error', 403],
  not_found: ['not_found', 404],
  gone: ['not_found', 410],
  rate_limited: ['rate_limited', 429],
  too_many_requests: ['rate_limited', 429],
  quota_exceeded: ['rate_limited', 429],
  idempotency_error: ['idempotency_error', 409],
  request_timeout: ['invalid_request', 408],
  headers_too_large: ['invalid_request', 431],
  payload_too_large: ['api_error', 413],
  api_error: ['api_error', 500],
  server_busy: ['api_error', 503],
  media_unavailable: ['api_error', 503],
} as const satisfies Record<string, readonly [family: string, status: number]>

export type ErrorCode = keyof typeof catalogue

export const errorCodes = Object.keys(catalogue) as readonly ErrorCode[]

export const errorFamilies = [...new Set(Object.values(catalogue).map(([family]) => family))]

/** Why a request got no answer of its own. A result that travels, not a fault. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  /** Field or query parameter at fault. */
  readonly param: string | null
  /** Where `param` was sent, which the classic dialect tells; in the body unless said. */
  readonly where?: 'path' | 'query'
  /** For `resync_required`: what moved the caller's view (A5). */
  readonly reason?: 'role' | 'view'
  /** For `precondition_failed`: JSON text of the element as the caller sees it now. */
  readonly current?: string
  /** Whole seconds for `Retry-After`. */
  readonly retryAfterS?: number
}

/** Carries a refusal up from where it was found to where it is answered. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError'
  constructor(readonly refusal: Refusal) {
    super(refusal.message)
  }
}

export function statusOf(code: ErrorCode): number {
  return catalogue[code][1]
}

export function familyOf(code: ErrorCode): string {
  return catalogue[code][0]
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code)
}

/** The inner object of the envelope, which a `/bulk` slot carries as its `error`. */
export function errorBody(refusal: Refusal, docsUrl: string) {
  return {
    type: catalogue[refusal.code][0],
    code: refusal.code,
    message: refusal.message,
    param: refusal.param,
    doc_url: `${docsUrl}#${refusal.code}`,
    ...(refusal.reason === undefined ? {} : { reason: refusal.reason }),
  }
}

/** The envelope of a refused request, as JSON text. */
export function envelope(refusal: Refusal, docsUrl: string): string {
  const error = JSON.stringify(errorBody(refusal, docsUrl))
  const reason = refusal.reason === undefined ? '' : `,"reason":"${refusal.reason}"`
  const current = refusal.current === undefined ? '' : `,"current":${refusal.current}`
  return `{"error":${error}${reason}${current}}`
}

function refusal(code: ErrorCode, message: string, param: string | null = null): Refusal {
  return { code, message, param }
}

export const invalid = (param: string | null, message: string) => refusal('invalid_request', message, param)

export const elementTooLarge = () => invalid(null, 'The element would take more than 2.5 MB.')

/** `bytes` is what one deletion may rewrite. */
export const tooManyCarriers = (bytes: number) =>
  invalid(null, `Elements of more than ${bytes} bytes link to this one: take it out of some of them first.`)

export const unknownField = (field: string) => invalid(field, `Unknown field: ${clip(field)}.`)

export const invalidLink = (field: string, target: string) =>
  refusal('invalid_link', `${field} names an id that is no ${target} of this world.`, field)

export const notFound = () => refusal('not_found', 'There is no such element in this world.')

export const noSuchRoute = () => refusal('not_found', 'No route answers this path and method.')

export const noSuch = (what: string) => refusal('not_found', `There is no such ${what}.`)

export const idConflict = (where: 'this' | 'another') =>
  refusal('id_conflict', `An element with this id exists in ${where} world.`, 'id')

export const applyFailed = () =>
  refusal('apply_failed', 'The element could not be applied: its id is held elsewhere.', 'id')

export const preconditionFailed = (current: string): Refusal => ({
  ...refusal('precondition_failed', 'The element has changed since this change_seq.', 'If-Match'),
  current,
})

export const readOnlyKey = () => refusal('permission_error', 'This key reads only.')

export const notAuthor = () => refusal('not_author', 'Only who created this element may change it.')

export const notCoBuilder = () =>
  refusal('permission_error', 'Only the owner and co-builders hide elements and show them again.')

export const ownerOnly = () => refusal('owner_only', 'Only the owner changes the world itself.')

export const notOwner = () => refusal('permission_error', 'Only the owner of the world may do this.')

export const viewAsOwnerOnly = () => refusal('view_as_owner_only', 'Only a key of the owner reads as another.')

export const guestNotSupported = () => refusal('guest_not_supported', 'Guests cannot use this route.')

export const alreadyMember = () => refusal('already_member', 'The account is a member of this world already.')

export const pinRequired = () => refusal('pin_required', 'The account needs a PIN first.')

export const characterHidden = () =>
  refusal('character_hidden', 'A hidden Character cannot be chosen to be played.', 'character')

export const notAdder = () => refusal('permission_error', 'Only the owner and whoever added it may remove this.')

export const fileTooLarge = () => refusal('file_too_large', 'A file takes at most 25 MB.', 'size')

export const filesFull = () => refusal('files_full', 'The files of this world leave no room for it.', 'size')

export const storageFull = () => refusal('storage_full', 'The image storage of the account is used up.')

export const quotaExceeded = (what: string, retryAfterS: number): Refusal => ({
  ...refusal('quota_exceeded', `The ${what} of this world are used up for now.`),
  retryAfterS,
})

export const mediaUnavailable = () => refusal('media_unavailable', 'Uploads are not configured on this server.')

export const removalInFlight = (retryAfterS: number): Refusal => ({
  ...refusal('removal_in_flight', 'A removal ticket of this image can still be used.', 'key'),
  retryAfterS,
})

export const uploadPending = (): Refusal => ({
  ...refusal('upload_pending', 'No image is under this key yet, but an upload may be under way.', 'key'),
  retryAfterS: 2,
})

export const gone = () => refusal('gone', 'The element was deleted.')

export const idempotencyReuse = () =>
  refusal('idempotency_error', 'This Idempotency-Key was used with a different request.', 'Idempotency-Key')

export const missingKey = () => refusal('invalid_credentials', 'The API key is missing.')

export const unknownKey = () => refusal('invalid_credentials', 'The API key is not known.')

export const unknownToken = () => refusal('invalid_credentials', 'The account token is missing or not known.')

export const keyRevoked = () => refusal('key_revoked', 'The API key was revoked.')

export const missingPin = () => refusal('invalid_credentials', 'The PIN is missing: send it as API-Pin.')

export const wrongPin = () => refusal('invalid_credentials', 'The PIN is wrong.')

export const pinLocked = (retryAfterS: number): Refusal => ({
  ...refusal('rate_limited', 'Too many wrong PINs. Wait before the next try.'),
  retryAfterS,
})

export const overBudget = (retryAfterS: number): Refusal => ({
  ...refusal('too_many_requests', 'Too many requests. Wait before the next one.'),
  retryAfterS,
})

export const serverBusy = (retryAfterS = 1): Refusal => ({
  ...refusal('server_busy', 'The service is busy. Try again shortly.'),
  retryAfterS,
})

/** `limit` in bytes: 2.5 MB unless another is said. */
export const payloadTooLarge = (limit = 2_621_440) =>
  refusal('payload_too_large', `The request body is over ${limit === 2_621_440 ? '2.5 MB' : `${limit} bytes`}.`)

export const resyncRequired = (reason: 'role' | 'view'): Refusal => ({
  ...refusal('resync_required', 'The cursor no longer fits your view: start again from since=0.', 'since'),
  reason,
})

export const apiError = () => refusal('api_error', 'Something went wrong on our side.')

export const badHttp = () => refusal('bad_http', 'The request is not well-formed HTTP.')

export const requestTimeout = () => refusal('request_timeout', 'The request took too long to arrive.')

export const headersTooLarge = () => refusal('headers_too_large', 'The request headers are too large.')

/** Cuts text that a client sent before it is quoted back. */
export function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
