/** Hands what other services tell to whoever settles it. */
import type { Jobs } from '@worlds/runtime/queues'
import type { Context } from '../context'
import { removeAccount, removeElements, removeWorld } from './deletions'
import { ensureRoom } from './rooms'
import { settleFile } from './settle-file'
import { settleImage, settleRemoval } from './settle-image'

export async function handleStored(context: Context, job: Jobs['file-stored']): Promise<void> {
  switch (job.kind) {
    case 'file':
      return settleFile(context, job, 'yes')
    case 'image':
      return settleImage(context, job, 'yes')
    case 'removal':
      return settleRemoval(context, job.worldId, job.key)
    case 'room':
      return ensureRoom(context, job.room)
  }
}

export async function handleElements(context: Context, job: Jobs['element-deleted']): Promise<void> {
  if (job.kind === 'world') return removeWorld(context, job.worldId)
  return removeElements(context, job.worldId, job.elements)
}

export async function handleAccount(context: Context, job: Jobs['account-deleted']): Promise<void> {
  return removeAccount(context, job.accountId)
}
