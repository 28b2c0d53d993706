import { invalid, RefusalError } from './errors'

/** A `change_seq`, bare or in double quotes, or `*`; empty when the header was not sent (A17). */
export function readIfMatch(header: string | undefined): string {
  if (header === undefined) return ''
  const text = header.trim()
  if (text === '*') return text
  const [, bare, quoted] = /^(?:(\d{1,15})|"(\d{1,15})")$/.exec(text) ?? []
  const seq = bare ?? quoted
  if (seq === undefined) throw new RefusalError(invalid('If-Match', 'If-Match takes a change_seq or *.'))
  return String(Number(seq))
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
