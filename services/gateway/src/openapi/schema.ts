/** JSON Schema (2020-12) as OpenAPI 3.1 has it, and the forms that come again and again. */
export interface Schema {
  readonly [keyword: string]: unknown
}

export const text: Schema = { type: 'string' }
export const texts: Schema = { type: 'array', items: text }
export const flag: Schema = { type: 'boolean' }
export const uuid: Schema = { type: 'string', format: 'uuid' }
export const uuids: Schema = { type: 'array', items: uuid }
export const uri: Schema = { type: 'string', format: 'uri' }
export const timestamp: Schema = { type: 'string', format: 'date-time', description: 'UTC, with microseconds.' }
export const count: Schema = { type: 'integer', minimum: 0 }
/** What an integer field holds. */
export const integer: Schema = { type: 'integer', format: 'int32' }
export const unixSeconds: Schema = { type: 'integer', description: 'Unix seconds.' }

export const upTo = (maxLength: number): Schema => ({ type: 'string', maxLength })

export const oneOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: words })

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export const listOf = (items: Schema): Schema => ({ type: 'array', items })

export const described = (schema: Schema, description: string): Schema => ({ ...schema, description })

export const orNull = (schema: Schema): Schema =>
  '$ref' in schema || 'anyOf' in schema
    ? { anyOf: [schema, { type: 'null' }] }
    : {
        ...schema,
        type: [schema.type, 'null'],
        ...(Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
      }

/** A secret that begins with a prefix of its own. */
export const secret = (prefix: string): Schema => ({ type: 'string', pattern: `^${prefix}` })

/** An object with all of these keys and no others. */
export function record(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
}

/** An object with some of these keys and no others. */
export function fields(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  const wanted = required.length === 0 ? {} : { required }
  return { type: 'object', ...wanted, properties, additionalProperties: false }
}

/** The rows of a list that comes whole. */
export const rowsOf = (name: string): Schema => record({ data: listOf(ref(name)) })
