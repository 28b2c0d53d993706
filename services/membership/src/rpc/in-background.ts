import type { Context } from '../context'

/** For work that nobody waits for: its failure is logged and changes no answer. */
export function inBackground(context: Context, what: string, work: Promise<void>): void {
  work.catch((error: unknown) => context.log.warn({ err: error }, `${what} failed`))
}
