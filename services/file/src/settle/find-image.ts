import { mintedKeys, pointerKey } from '@worlds/storage/object-keys'
import type { ObjectStore } from '@worlds/storage/object-store'

export interface FoundImage {
  readonly key: string
  readonly bytes: number
  /** Of the upload that has put it. */
  readonly token: string | undefined
}

/** What an image's ticket was used for, if it was: its key is minted from its id, or named by a pointer. */
export async function findImageBytes(
  objects: ObjectStore,
  { worldId, id }: { readonly worldId: string; readonly id: string },
): Promise<FoundImage | null> {
  const [chosen, ...minted] = await Promise.all([
    objects.head(pointerKey(worldId, id)).then((pointer) => look(objects, pointer?.metadata.key, id)),
    ...mintedKeys(worldId, id).map((key) => look(objects, key, id)),
  ])
  return chosen ?? minted.find((found) => found !== null) ?? null
}

/** Another ticket may have been faster at the same key. */
async function look(objects: ObjectStore, key: string | undefined, id: string): Promise<FoundImage | null> {
  if (key === undefined) return null
  const found = await objects.head(key)
  return found?.metadata.ticket === id ? { key, bytes: found.bytes, token: found.metadata.token } : null
}
