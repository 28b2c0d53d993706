/** What nobody has told, or nobody has finished, is looked for every so often. Every process does; rows are claimed. */
import { Rounds } from '@worlds/runtime/rounds'
import type { TicketState } from '@worlds/storage/claims'
import { pointerKey } from '@worlds/storage/object-keys'
import type { ObjectStore } from '@worlds/storage/object-store'
import { accountRoom, worldRoom } from '@worlds/storage/rooms'
import type { Context } from '../context'
import { forgetBurials } from '../store/burials'
import { claimDoomed, doom } from '../store/doomed'
import { claimDueFiles, type FileState, forgetFile, listOldFiles, markVoid } from '../store/file-states'
import {
  claimDueImages,
  claimDueRemovals,
  endUnusedRemoval,
  forgetImage,
  type ImageRef,
  listOldImages,
} from '../store/image-rounds'
import { changeImage, readImage } from '../store/images'
import { listToPurge, lockAccount, lockWorld } from '../store/locks'
import { deleteBytesNow } from './bytes'
import { removeAccount, removeImage, removeWorld } from './deletions'
import { findImageBytes } from './find-image'
import { type Promised, settleFile } from './settle-file'
import { settleImage } from './settle-image'

const batch = 50
/** Batches of one kind in one round: what is slow must not keep the rest waiting for ever. */
const turns = 20

export class SettlingRounds {
  readonly #rounds: Rounds

  constructor(
    private readonly context: Context,
    private readonly objects: ObjectStore,
  ) {
    this.#rounds = new Rounds(() => this.#round(), context.config.settling.everyMs)
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  /** One that fails does not keep the others waiting. */
  async #round(): Promise<void> {
    const { context } = this
    const { leaseMs, forgetAfterMs } = context.config.settling
    const { graceMs } = context.config.uploads
    await this.#each(
      'bytes',
      () => claimDoomed(context.db, batch, leaseMs),
      (doomed) => deleteBytesNow(context, [doomed]),
    )
    await this.#each(
      'files',
      () => claimDueFiles(context.db, batch, leaseMs),
      (file) => this.#settleFile(file),
    )
    await this.#each(
      'images',
      () => claimDueImages(context.db, batch, leaseMs),
      (image) => this.#settleImage(image),
    )
    await this.#each(
      'removals',
      () => claimDueRemovals(context.db, batch, graceMs, leaseMs),
      (image) => this.#settleRemoval(image),
    )
    await this.#attempt('deletions', () => this.#finishDeletions())
    await this.#attempt('old rows', () => this.#forget(forgetAfterMs))
  }

  async #settleFile(file: FileState): Promise<void> {
    const { db, claims } = this.context
    const state = await claims.state(file)
    // Somebody is at it still, however late.
    if (state === 'busy') return
    const found = await this.objects.head(file.key)
    if (found !== null) return settleFile(this.context, { ...file, bytes: found.bytes }, promisedBy(state))
    await db.transaction(async (tx) => {
      await lockWorld(tx, file.worldId)
      if (!(await markVoid(tx, file.worldId, file.id))) return
      // An upload that died has left its entry in the room.
      await doom(tx, [{ ...file, keys: [file.key], room: worldRoom(file.worldId) }], 0)
    })
  }

  async #settleImage(ref: ImageRef): Promise<void> {
    const { db, claims } = this.context
    const state = await claims.state(ref)
    if (state === 'busy') return
    const found = await findImageBytes(this.objects, ref)
    if (found !== null) return settleImage(this.context, { ...ref, ...found }, promisedBy(state))
    await db.transaction(async (tx) => {
      await lockWorld(tx, ref.worldId)
      const image = await readImage(tx, ref.worldId, ref.id)
      if (image === null) return
      await lockAccount(tx, image.accountId)
      if (!(await changeImage(tx, image, 'reserved', 'void'))) return
      const keys = [pointerKey(ref.worldId, ref.id)]
      await doom(tx, [{ ...ref, keys, room: accountRoom(image.accountId) }], 0)
    })
  }

  /** The ticket was used and nobody told, or it ended unused. */
  async #settleRemoval(ref: ImageRef): Promise<void> {
    const image = await readImage(this.context.db, ref.worldId, ref.id)
    if (image === null || image.key === null || image.state !== 'listed') return
    if ((await this.objects.head(image.key)) === null) return removeImage(this.context, image, false)
    await endUnusedRemoval(this.context.db, ref)
  }

  async #finishDeletions(): Promise<void> {
    for (const { worldId, accountId } of await listToPurge(this.context.db)) {
      if (this.#rounds.stopped) return
      if (worldId !== null) await removeWorld(this.context, worldId)
      if (accountId !== null) await removeAccount(this.context, accountId)
    }
  }

  /** Bytes may have come after a row was given up, from a host that was thought dead. */
  async #forget(olderMs: number): Promise<void> {
    const { db } = this.context
    for (const file of await listOldFiles(db, olderMs, batch)) {
      if (file.state === 'void') await this.objects.remove(file.key)
      await forgetFile(db, file.worldId, file.id)
    }
    for (const ref of await listOldImages(db, olderMs, batch)) {
      const found = await findImageBytes(this.objects, ref)
      if (found !== null) await this.objects.remove(found.key)
      await this.objects.remove(pointerKey(ref.worldId, ref.id))
      await forgetImage(db, ref)
    }
    await forgetBurials(db, olderMs)
  }

  async #each<T extends { readonly worldId: string; readonly id: string }>(
    what: string,
    claim: () => Promise<T[]>,
    settle: (item: T) => Promise<void>,
  ): Promise<void> {
    await this.#attempt(what, async () => {
      for (let turn = 1; turn <= turns && !this.#rounds.stopped; turn += 1) {
        const due = await claim()
        for (const item of due) {
          await this.#attempt(what, () => settle(item), { worldId: item.worldId, id: item.id })
        }
        if (due.length < batch) return
      }
    })
  }

  async #attempt(what: string, work: () => Promise<void>, facts: Record<string, string> = {}): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.context.log.warn({ err: error, ...facts }, `${what} are settled later`)
    }
  }
}

function promisedBy(state: TicketState): Promised {
  return state === 'used' ? 'perhaps' : 'unknown'
}
