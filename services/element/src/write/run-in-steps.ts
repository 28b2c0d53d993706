import type { Write } from '../domain/intent'
import { bulkInSteps } from './bulk-in-steps'
import type { Round } from './commit-world'
import { deleteInSteps } from './delete-in-steps'
import { type StepScope, Steps, underLock } from './steps'

/** What one step takes of the process: bodies as text, as members, and as the columns of a commit. */
const stepMemory = 16 << 20

export async function runInSteps(scope: StepScope, worldId: string, write: Write): Promise<Round | null> {
  const lease = await scope.memory.acquire(stepMemory)
  try {
    return await underLock(scope, worldId, (tx) => takeSteps(new Steps(scope, worldId, tx), write))
  } finally {
    lease.release()
  }
}

function takeSteps(steps: Steps, write: Write): Promise<Round> {
  const { intent } = write
  if (intent.kind === 'bulk') return bulkInSteps(steps, write, intent)
  if (intent.kind === 'delete') return deleteInSteps(steps, write, intent)
  return steps.takeWhole(write)
}
