import { invalid, RefusalError } from './errors'

/** A `change_seq`, bare or in double quotes, or `*`; empty when the header was not sent (A17). */
export function readIfMatch(header: string | undefined): string {
  if (header === undefined) return ''
  const match = /^(?:\*|"?(\d{1,15})"?)$/.exec(header.trim())
  if (match === null) throw new RefusalError(invalid('If-Match', 'If-Match takes a change_seq or *.'))
  return match[1] === undefined ? '*' : String(Number(match[1]))
}

/** 1 to 200 characters; empty when the header was not sent (A41). */
export function readIdempotencyKey(header: string | undefined): string {
  if (header === undefined) return ''
  if (header.length === 0 || header.length > 200) {
    throw new RefusalError(invalid('Idempotency-Key', 'Idempotency-Key takes 1 to 200 characters.'))
  }
  return header
}

/** Whether a stored `change_seq` satisfies what {@link readIfMatch} read. */
export function matchesSeq(ifMatch: string, changeSeq: number): boolean {
  return ifMatch === '' || ifMatch === '*' || Number(ifMatch) === changeSeq
}
