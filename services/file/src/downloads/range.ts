export interface Range {
  readonly first: number
  readonly last: number
}

/**
 * The one range of bytes that a request asks for; null for all of them, which is also the answer to
 * what is no range of bytes or more than one (RFC 9110, 14.2); `unsatisfiable` beyond the end.
 */
export function readRange(header: string | undefined, size: number): Range | null | 'unsatisfiable' {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return null
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < first) return null
  return first >= size || (from === '' && Number(to) === 0) ? 'unsatisfiable' : { first, last }
}
