import type { Refusal } from '@worlds/domain/errors'
import type { Query } from '@worlds/domain/query'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { KeyAccess } from '../access/admit'
import type { Clients } from '../clients'
import type { Answer, FinalAnswer } from '../http/answer'
import type { Dialect } from '../http/dialect'

interface Common {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  readonly path: string
  /** How refusals are told; as the current dialect does unless said. */
  readonly dialect?: Dialect
  /** No reply of the route, errors included, may be kept by anybody (D11). */
  readonly isNeverKept?: boolean
  /** Query parameters that the route knows, where all others mean nothing to it. */
  readonly onlyParams?: readonly string[]
  /** Refuses parameters of the path that make it an unmatched one. */
  readonly matches?: (params: Record<string, string>) => boolean
}

/** A route that a world key opens. */
export interface WorldRoute extends Common {
  readonly access: KeyAccess
  /** The route reads as another reader when its query says so. */
  readonly takesAs?: boolean
  /** Answers who sends no key at all. */
  keyless?(call: Call): Promise<Answer>
  handle(call: WorldCall): Promise<Answer>
}

/** A route that an account token opens. */
export interface AccountRoute extends Common {
  readonly access: 'account'
  handle(call: AccountCall): Promise<Answer>
}

/** A route that takes no credential but a code in its body; it answers not_found for an unknown one alone. */
export interface CodeRoute extends Common {
  readonly access: 'code'
  handle(call: Call): Promise<Answer>
}

/** A route that takes no credential. */
export interface OpenRoute extends Common {
  readonly access: 'open'
  handle(call: Call): Promise<Answer>
}

/** A route that asks others in its caller's name. */
export interface ToolRoute extends Common {
  readonly access: 'tools'
  handle(call: ToolCall): Promise<Answer>
}

export type Route = WorldRoute | AccountRoute | CodeRoute | OpenRoute | ToolRoute

export interface Call {
  readonly clients: Clients
  readonly params: Record<string, string>
  readonly query: Query
  /** A header as it was sent; undefined when it was not. */
  header(name: string): string | undefined
  /** How often a header was sent. */
  headerCount(name: string): number
  /** The body, read on first use and kept; `limit` in bytes, where it is less than any body's. */
  body(limit?: number): Promise<Buffer>
  /** Runs what a reply that has begun still needs of the system, in a slot acquired for it. */
  working<T>(work: () => Promise<T>): Promise<T>
  /** Bytes that a page of the reply ends at; 0 for as many as any page. */
  readonly pageBytes: number
  /** Its signal is aborted when the client has left. */
  readonly departure: { readonly signal: AbortSignal }
}

export interface WorldCall extends Call {
  readonly principal: Principal__Output
  /** The caller as membership knows it now, while its key opens the route; null once it does not. */
  renewed(): Promise<Principal__Output | null>
  readonly extensionPrefixes: readonly string[]
}

/** What is asked of another route: never more than it would be told by HTTP itself. */
export interface Asked {
  readonly params: Record<string, string>
  readonly query: Query
  readonly body: Buffer
}

export interface ToolCall extends Call {
  readonly docsUrl: string
  /** Why the caller's key opens nothing, a missing one included; null for a key that is known. */
  identify(): Promise<Refusal | null>
  /** Admits the caller to the route as a request of its own, and lets that answer. */
  ask(route: WorldRoute, asked: Asked): Promise<FinalAnswer>
}

export interface AccountCall extends Call {
  readonly accountId: string
  /** Address of the client. */
  readonly address: string
}
