import type { Refusal } from '@worlds/domain/errors'

/** An answer that stands before its first byte is sent. */
export interface WholeAnswer {
  readonly kind: 'reply'
  readonly status: number
  /** JSON, in one piece or several; null for none. */
  readonly body: readonly Buffer[] | null
  readonly headers?: Record<string, string>
}

export interface RefusalAnswer {
  readonly kind: 'refusal'
  readonly refusal: Refusal
}

/** JSON that is sent as it is read: a 200 from its first piece on. */
export interface StreamAnswer {
  readonly kind: 'stream'
  readonly pieces: AsyncIterable<Buffer>
  /** Bytes of all pieces; undefined where they are not known. */
  readonly length?: number | undefined
  /** Called instead, where no piece is taken. */
  cancel(): void
}

/** What a request is answered with. */
export type FinalAnswer = WholeAnswer | RefusalAnswer | StreamAnswer

/** What a route answers. */
export type Answer =
  | FinalAnswer
  /** The principal is out of date: authenticate again and repeat. */
  | { readonly kind: 'ask-again' }

export const refuse = (refusal: Refusal): RefusalAnswer => ({ kind: 'refusal', refusal })

export function json(status: number, value: unknown): WholeAnswer {
  return { kind: 'reply', status, body: [Buffer.from(JSON.stringify(value))] }
}
