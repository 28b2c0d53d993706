import { invalid, type Refusal } from './errors'

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Canonical lower case of an id in the 8-4-4-4-12 form, any version (A36); null for anything else. */
export function readUuid(value: unknown): string | null {
  return typeof value === 'string' && value.length === 36 && form.test(value) ? value.toLowerCase() : null
}

export const malformedId = (param = 'id'): Refusal => invalid(param, 'The id is not a UUID.')
