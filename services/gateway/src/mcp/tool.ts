/** What a tool is: a description for agents, and a way from its arguments to an answer. */

import type { z } from 'zod'
import type { FinalAnswer } from '../http/answer'
import type { Asked, ToolCall, WorldRoute } from '../routes/route'

/** Hints for who decides whether a call needs a person's leave. */
export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
}

export const reads: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }

/** The JSON text of an argument as it was sent: of extension fields it is kept. */
export type RawArguments = (name: string) => string

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** Of its arguments; those that it refuses never reach the tool. */
  readonly input: z.ZodObject
  /** Shape of a good answer, which is sent as structure and as text; null for an answer that is sent as text alone. */
  readonly output: z.ZodObject | null
  /** False for tools whose answer is the same for every caller. */
  readonly needsKey: boolean
  run(args: Record<string, unknown>, call: ToolCall, raw: RawArguments): Promise<FinalAnswer> | FinalAnswer
}

/** A tool over a route: whoever may not use the route may not use the tool, for the same reasons. */
export function over(
  route: WorldRoute,
  asked: (args: Record<string, unknown>, raw: RawArguments) => Partial<Asked>,
): Tool['run'] {
  return (args, call, raw) =>
    call.ask(route, { params: {}, query: new Map(), body: Buffer.alloc(0), ...asked(args, raw) })
}

/** Arguments that were given, as a query has them. */
export function queryOf(
  args: Record<string, unknown>,
  names: readonly string[],
  fallback: Record<string, string> = {},
) {
  const query = new Map(Object.entries(fallback))
  for (const name of names) if (args[name] !== undefined) query.set(name, String(args[name]))
  return query
}

export function bodyOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** The route of a method and path, among those that are served. */
export function routeOf(routes: readonly WorldRoute[], method: WorldRoute['method'], path: string): WorldRoute {
  const route = routes.find((one) => one.method === method && one.path === path)
  if (route === undefined) throw new Error(`no route ${method} ${path}`)
  return route
}
