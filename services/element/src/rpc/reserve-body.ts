import type { ByteBudget } from '@worlds/runtime/byte-budget'
import type { CallContext } from '@worlds/runtime/operation'

/** Bytes of a request body that is parsed without asking for memory. */
const parsedFreely = 64 << 10

/** What a body takes while it is text, parsed values and a write, in times its bytes. */
const memoryFactor = 6

/**
 * Runs an operation once there is memory for its request's body, which is held until the reply is sent. The budget is
 * one of its own: what a write loads is reserved while its body is held.
 */
export function reservingBody<Request extends { readonly body: Buffer }, Reply>(
  bodies: ByteBudget,
  handle: (request: Request, context: CallContext) => Promise<Reply>,
): (request: Request, context: CallContext) => Promise<Reply> {
  return async (request, context) => {
    const { length } = request.body
    if (length > parsedFreely) await context.reserve(bodies, length * memoryFactor)
    return handle(request, context)
  }
}
