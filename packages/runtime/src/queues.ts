/** Queues that services hand work to each other by, over Redis. A job is told at least once. */

/** What each queue carries, by its name. */
export interface Jobs {
  /** From the upload host: bytes were stored, or an image was removed; or a room is missing its books. */
  'file-stored': StoredFile | StoredImage | RemovedImage | MissingRoom
  /** From element: what was deleted, each with the place of its tombstone. */
  'element-deleted': DeletedElements | DeletedWorld
  /** From membership. */
  'account-deleted': DeletedAccount
}

export type QueueName = keyof Jobs

export interface StoredFile {
  readonly kind: 'file'
  readonly worldId: string
  /** The file's id, which is its ticket's too. */
  readonly id: string
  readonly key: string
  readonly bytes: number
}

export interface StoredImage extends Omit<StoredFile, 'kind'> {
  readonly kind: 'image'
}

export interface RemovedImage {
  readonly kind: 'removal'
  readonly worldId: string
  readonly key: string
}

export interface MissingRoom {
  readonly kind: 'room'
  readonly room: string
}

export interface DeletedElements {
  readonly kind: 'elements'
  readonly worldId: string
  readonly elements: readonly { readonly id: string; readonly place: number }[]
}

export interface DeletedWorld {
  readonly kind: 'world'
  readonly worldId: string
}

export interface DeletedAccount {
  readonly kind: 'account'
  readonly accountId: string
}

export const queueNames: readonly QueueName[] = ['file-stored', 'element-deleted', 'account-deleted']

/** All keys of one queue are in one hash slot. */
export function queuePrefix(redisPrefix: string, name: QueueName): string {
  return `${redisPrefix}:{${name}}`
}
