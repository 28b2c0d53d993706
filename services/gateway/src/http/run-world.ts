/** Takes a request that a world key opens through steps 4 to 8 of the order of checks, and to its handler. */
import { RefusalError, serverBusy } from '@worlds/domain/errors'
import { admit, type KeyedRequest } from '../access/admit'
import type { Holder } from '../access/world-key'
import type { Call, WorldCall, WorldRoute } from '../routes/route'
import { type Answer, type FinalAnswer, refuse } from './answer'
import type { RouteScope } from './run-route'

/** Rounds of asking membership anew before the world is held to be gone. */
const rounds = 4

/** Headers of the admission, which every reply carries, are added to `headers`. */
export async function runWorld(
  scope: RouteScope,
  route: WorldRoute,
  keyed: KeyedRequest,
  call: Call,
  headers: Record<string, string>,
): Promise<FinalAnswer> {
  for (let round = 1; round <= rounds; round += 1) {
    const admission = await admit(scope, route.access, keyed, round > 1)
    Object.assign(headers, admission.headers)
    if ('refusal' in admission) return refuse(admission.refusal)
    const renewed = async () => {
      const anew = await admit(scope, route.access, keyed, true)
      return 'refusal' in anew ? null : anew.holder.principal
    }
    const answer = await runHandler(scope, route, call, { ...admission.holder, renewed })
    if (answer.kind === 'reply' || answer.kind === 'stream') return answer
    if (answer.kind === 'refusal' && (admission.fresh || (await stillHolds(scope, keyed, admission.holder)))) {
      return answer
    }
  }
  return refuse(serverBusy())
}

type Admitted = Holder & Pick<WorldCall, 'renewed'>

async function runHandler(
  scope: RouteScope,
  route: WorldRoute,
  call: Call,
  { principal, renewed }: Admitted,
): Promise<Answer> {
  if (principal === null) throw new Error('a key holder without a principal')
  try {
    return await route.handle({ ...call, principal, renewed, extensionPrefixes: scope.extensionPrefixes })
  } catch (error) {
    if (error instanceof RefusalError) return refuse(error.refusal)
    throw error
  }
}

/** Whether membership says the same of the key as when its principal was kept: only then is a refusal told. */
async function stillHolds(scope: RouteScope, { key, address }: KeyedRequest, kept: Holder): Promise<boolean> {
  const found = await scope.keys.find(key, true, address)
  return 'holder' in found && found.holder.principal?.auth_version === kept.principal?.auth_version
}
