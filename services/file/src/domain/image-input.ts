import { invalid, noSuch, RefusalError, unknownField } from '@worlds/domain/errors'
import { readObject } from '@worlds/domain/json-input'
import { imagePrefix } from '@worlds/storage/object-keys'

/** The body of a ticket for an image: nothing, or an object without keys (D14). */
export function readImageInput(body: Uint8Array): void {
  if (body.length > 0) readKeys(body, [])
}

/** The key of the image to remove. One that could be no image's of this world is not found. */
export function readRemovalInput(body: Uint8Array, worldId: string): string {
  const { key } = readKeys(body, ['key'])
  if (key.length > 200 || !/^[a-z0-9._/-]+$/.test(key) || !key.startsWith(imagePrefix(worldId))) {
    throw new RefusalError(noSuch('image'))
  }
  return key
}

/** Texts by their names, and no others; the first fault is told in the order of the body. */
function readKeys<Name extends string>(body: Uint8Array, known: readonly Name[]): Record<Name, string> {
  const value = readObject(body)
  for (const field of [...Object.keys(value), ...known]) {
    if (!known.some((name) => name === field)) throw new RefusalError(unknownField(field))
    if (typeof value[field] !== 'string') throw new RefusalError(invalid(field, `${field} is not text.`))
  }
  return value as Record<Name, string>
}
