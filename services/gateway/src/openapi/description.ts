import type { ErrorCode } from '@worlds/domain/errors'
import type { Schema } from './schema'

/** What the document says of one route beyond what follows from the route table. */
export interface Description {
  /** The operation's id, in the document its only one. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** By the name in the query. */
  readonly query?: Readonly<Record<string, Parameter>>
  /** Headers that the route reads, besides credentials. */
  readonly headers?: Readonly<Record<string, Parameter>>
  /** Parameters of the path that are not simply an id, by their names in the route table. */
  readonly path?: Readonly<Record<string, Parameter>>
  readonly body?: RequestBody
  /** By status. The worked example is answered by the one with an example, or else by the only 2xx. */
  readonly replies: Readonly<Record<number, Success>>
  /** Codes that the kind of access does not bring already. */
  readonly codes?: readonly ErrorCode[]
}

/** One with an example is part of the worked example. */
export interface Parameter {
  readonly schema: Schema
  readonly description: string
  readonly example?: unknown
  readonly required?: boolean
  readonly style?: 'form'
  readonly explode?: boolean
}

export interface RequestBody {
  readonly schema: Schema
  readonly example: unknown
  /** The route takes no body as an empty one. */
  readonly optional?: boolean
}

export interface Success {
  readonly description: string
  /** Without one the reply has no body. */
  readonly schema?: Schema
  readonly example?: unknown
  readonly headers?: readonly ReplyHeader[]
  /** JSON unless said otherwise. */
  readonly type?: string
}

export type ReplyHeader = 'ETag' | 'Idempotent-Replay' | 'Cache-Control'

/** Routes that belong together, under one heading. */
export interface Resource {
  readonly tag: { readonly name: string; readonly description: string }
  /** Components, by name. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** By method and path as the route table has them: `GET /api/v2/world`. Null for a route that it has not. */
  readonly routes: Readonly<Record<string, Description | null>>
}

/** A reply without a body. */
export const done = (description: string): Success => ({ description })
