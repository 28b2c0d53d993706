import { invalid, type Refusal, RefusalError } from '@worlds/domain/errors'

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The id in lower case, or the given refusal: which one a malformed id gets depends on what it names. */
export function readId(sent: string, refusal: Refusal = invalid('id', 'The id is not a UUID.')): string {
  if (pattern.test(sent)) return sent.toLowerCase()
  throw new RefusalError(refusal)
}
