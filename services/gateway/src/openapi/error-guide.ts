import type { ErrorCode } from '@worlds/domain/errors'

export interface Guide {
  readonly cause: string
  readonly remedy: string
  /** The reply carries `Retry-After`. */
  readonly retryAfter?: true
}

/** What each code is caused by and what to do about it, for the docs page and the document. */
export const errorGuide: Readonly<Record<ErrorCode, Guide>> = {
  invalid_request: {
    cause:
      'Something in the request is not as the route takes it: an unknown field or query parameter, a field that the server sets, a value of the wrong form, text over its limit, an id that is no UUID, a body that is not JSON.',
    remedy: '`param` names the field, parameter or header; correct it and send the request again.',
  },
  invalid_link: {
    cause: 'A link names an id that is no element of the linked category in this world, or none that the key sees.',
    remedy: '`param` names the field. Create the element first, or send both in one `/bulk`. Nothing was written.',
  },
  id_conflict: {
    cause: 'The id is held already, in this world or another; the message says which.',
    remedy: 'Leave the id out to have one minted, or use PUT or PATCH on the element that has it.',
  },
  already_member: {
    cause: 'The email invited, or the account that accepts, belongs to a member of the world.',
    remedy: 'Nothing is left to do; change the role of the member instead.',
  },
  pin_required: {
    cause: 'The account has no PIN, and whoever writes to the world of another needs one.',
    remedy: 'Set a PIN with `PATCH /api/v2/account`, then try again.',
  },
  resync_required: {
    cause: 'The cursor is from before a change of what the key sees, or has another form than this reader’s cursors.',
    remedy:
      'Walk `/changes` again from `since=0`. When `reason` is `role`, keep what the new walk does not name; when it is `view`, drop it.',
  },
  precondition_failed: {
    cause: 'The element has changed since the `change_seq` sent as `If-Match`.',
    remedy: '`current`, beside `error`, is the element as it is now: apply the change to that, with its `change_seq`.',
  },
  apply_failed: {
    cause: 'In a slot of `/bulk`: the id of the item is held by another world or category.',
    remedy: 'Send the item without an id, or with another.',
  },
  character_hidden: {
    cause: 'A hidden Character was chosen to be played.',
    remedy: 'Choose another one, or show it again first.',
  },
  file_too_large: { cause: 'A file takes at most 25 MB.', remedy: 'Make the file smaller, or split it.' },
  removal_in_flight: {
    cause: 'A ticket to remove this image was issued less than ten minutes ago and is not used yet.',
    remedy: 'Use that ticket, or ask again after `Retry-After`.',
    retryAfter: true,
  },
  upload_pending: {
    cause: 'No image is under the key yet, but a ticket to upload one is still open.',
    remedy: 'Ask again after `Retry-After`.',
    retryAfter: true,
  },
  bad_http: {
    cause: 'The request is not well-formed HTTP, or could be read in two ways.',
    remedy: 'Send it with an HTTP library; the connection was closed.',
  },
  request_timeout: { cause: 'The request took too long to arrive.', remedy: 'Send it again, in one go.' },
  headers_too_large: { cause: 'The headers take more than 16 KB.', remedy: 'Send fewer or shorter headers.' },
  invalid_credentials: {
    cause: 'The key, token or PIN is missing, unknown or wrong; the message says which.',
    remedy:
      'Send the key as `API-Key`, the PIN as `API-Pin` with what writes, an account token as `Authorization: Bearer …`. A key that reads and does not write has the wrong PIN.',
  },
  key_revoked: { cause: 'The key was revoked, for good.', remedy: 'Mint another one in the account.' },
  permission_error: {
    cause: 'The credential is good, but not for this: a read key that writes, or a route for others.',
    remedy: 'Use a write key, or ask the owner of the world.',
  },
  not_author: {
    cause: 'Contributors and guests change what they created, and this was created by somebody else.',
    remedy: 'Ask the owner for a higher role, or whoever created it for the change.',
  },
  owner_only: { cause: 'The world itself is changed by its owner alone.', remedy: 'Use a key of the owner.' },
  view_as_owner_only: {
    cause: 'Only keys of the owner read as another.',
    remedy: 'Leave `as` out, or use a key of the owner.',
  },
  guest_not_supported: { cause: 'Guests cannot use this route.', remedy: 'Ask the owner for a higher role.' },
  files_full: {
    cause: 'The files of the world take 250 MB together, and this one has no room left.',
    remedy: 'Remove some files first.',
  },
  storage_full: {
    cause: 'The image storage of the account is used up.',
    remedy: 'Remove some images first; `GET /api/v2/account` shows what they take.',
  },
  not_found: {
    cause: 'There is nothing under this path: no such route, no such thing, or none that the key sees.',
    remedy: 'Check the path and the id. A join code that was used, revoked or has expired is not found either.',
  },
  gone: {
    cause: 'The element was deleted. Told only to who reads as a co-builder or contributor.',
    remedy: 'Drop what is kept of it.',
  },
  rate_limited: {
    cause:
      'Too many wrong PINs were sent from this address, and the wait grows with each further one; or 50 were sent for this account or seat from any addresses in 24 hours, and this address has not sent the right one in that time.',
    remedy: 'Wait for `Retry-After`, then send the right PIN. Reads go on meanwhile.',
    retryAfter: true,
  },
  too_many_requests: {
    cause: 'The budget of requests of the key or token, or of unknown credentials from one address, is used up.',
    remedy: 'Wait for `Retry-After`; `RateLimit-Remaining` on every reply shows what is left.',
    retryAfter: true,
  },
  quota_exceeded: {
    cause: 'The world has had its tickets: 200 for files in 24 hours, 200 for images on one UTC day.',
    remedy: 'Wait for `Retry-After`.',
    retryAfter: true,
  },
  idempotency_error: {
    cause: 'The `Idempotency-Key` was used before, with another request.',
    remedy: 'Use a new key for a new request; send the first one unchanged to get its reply again.',
  },
  payload_too_large: {
    cause: 'The body is over 2.5 MB. Nothing was written.',
    remedy: 'Send it in several requests, as with `/bulk` in batches.',
  },
  api_error: {
    cause: 'Something went wrong on our side.',
    remedy: 'Try again; a write with an `Idempotency-Key` can be repeated safely.',
  },
  server_busy: {
    cause: 'The service had no room for the request in time, or a part of it is away.',
    remedy: 'Try again after `Retry-After`.',
    retryAfter: true,
  },
  media_unavailable: {
    cause: 'Uploads are not configured on this server.',
    remedy: 'Waiting does not help; ask who runs it.',
  },
}
