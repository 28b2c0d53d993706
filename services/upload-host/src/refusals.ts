/** The upload host's errors: `{error: <code>}`, and what `bad_key` adds (specification, upload host errors). */
const statuses = {
  bad_http: 400,
  bad_key: 400,
  empty_body: 400,
  ticket_required: 401,
  ticket_invalid: 401,
  ticket_expired: 401,
  ticket_used: 401,
  not_removable: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  exists: 409,
  content_length_required: 411,
  too_large: 413,
  unsupported_type: 415,
  headers_too_large: 431,
  internal: 500,
  write_failed: 502,
  remove_failed: 502,
  ticket_lane_unconfigured: 503,
} as const

export type UploadError = keyof typeof statuses

/** Why a request was refused; `reason` for `bad_key` alone. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly error: UploadError,
    readonly reason?: string,
    options?: ErrorOptions,
  ) {
    super(reason === undefined ? error : `${error}: ${reason}`, options)
  }

  get status(): number {
    return statuses[this.error]
  }

  get body(): string {
    return JSON.stringify({ error: this.error, ...(this.reason === undefined ? {} : { reason: this.reason }) })
  }
}
