/** Where bytes are kept. Everything but files and images begins with a word that is served to nobody. */
import { type ImageType, imageTypes } from './kinds'

export function filePrefix(worldId: string, elementId: string): string {
  return `w/${worldId}/${elementId}/`
}

export function fileKey(worldId: string, elementId: string, id: string, kind: string): string {
  return `${filePrefix(worldId, elementId)}${id}.${kind}`
}

export function imagePrefix(worldId: string): string {
  return `u/${worldId}/`
}

/** Names the key that an image's ticket chose, so that it is found should nobody tell. */
export function pointerKey(worldId: string, id: string): string {
  return `pointers/${worldId}/${id}`
}

/** Stands for an image that was removed: its key is never taken again. */
export function removedKey(key: string): string {
  return `removed/${key}`
}

/** The key of an image that chose none. */
export function mintedKey(worldId: string, id: string, type: ImageType): string {
  return `${imagePrefix(worldId)}${id}.${imageTypes[type].extensions[0]}`
}

/** Every key that might be minted for an image. */
export function mintedKeys(worldId: string, id: string): string[] {
  return Object.keys(imageTypes).map((type) => mintedKey(worldId, id, type as ImageType))
}
