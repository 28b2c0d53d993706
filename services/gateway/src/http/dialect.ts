/** How a refusal is told. What is refused, and with which status, is the same in every dialect. */
import { type ErrorCode, envelope, noSuchRoute, type Refusal } from '@worlds/domain/errors'

/** The body of a refusal, as JSON text. */
export type Dialect = (refusal: Refusal, docsUrl: string) => string

/** The envelope. */
export const current: Dialect = envelope

/** Codes that the classic dialect tells otherwise than by a text (L402, D19). */
const classicShapes: Partial<Record<ErrorCode, 'unauthorized' | 'fields'>> = {
  invalid_credentials: 'unauthorized',
  key_revoked: 'unauthorized',
  invalid_request: 'fields',
}

export const classic: Dialect = ({ code, message, param, where = 'body' }) => {
  switch (classicShapes[code]) {
    case 'unauthorized':
      return JSON.stringify({ detail: 'Unauthorized', error: { code: 'unauthorized', detail: message } })
    case 'fields':
      return JSON.stringify({ detail: [{ loc: param === null ? [where] : [where, param], msg: message }] })
    default:
      return JSON.stringify({ detail: message })
  }
}

/** The metadata routes' (A64). */
export const metadata: Dialect = ({ code, message }) => JSON.stringify({ error: { code, detail: message } })

/** A path that no route answers is no dialect's; below the classic prefix its text also stands where that has it (A79). */
export const unmatched: Dialect = (refusal, docsUrl) => {
  const { message } = noSuchRoute()
  return `{"detail":${JSON.stringify(message)},${envelope(refusal, docsUrl).slice(1)}`
}
