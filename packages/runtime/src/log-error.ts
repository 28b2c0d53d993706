/**
 * Errors as log lines show them. Only the fields named here are kept: ioredis adds the failed command with its arguments,
 * which can be a password or a key, and pg adds values of the row (`detail`, `where`) and of the query.
 */
export interface LoggedError {
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly code?: string | number
  /** Name of the Redis command that failed, without its arguments. */
  readonly command?: string
  readonly table?: string
  readonly constraint?: string
  readonly cause?: LoggedError
  readonly errors?: readonly LoggedError[]
}

interface ErrorFields extends Error {
  readonly code?: unknown
  readonly command?: { readonly name?: unknown }
  readonly table?: unknown
  readonly constraint?: unknown
  readonly errors?: unknown
}

/** How many causes of causes are shown. */
const deepest = 5

/** A serializer for pino; a value that is no error is named by its type alone. */
export function serializeError(error: unknown): LoggedError | string {
  return isErrorLike(error) ? toLogged(error, 0) : `not an error: ${typeof error}`
}

function toLogged(error: ErrorFields, depth: number): LoggedError {
  const { code, command, table, constraint, errors, cause } = error
  const isDeep = depth >= deepest
  return {
    type: error.constructor?.name ?? error.name,
    message: withoutArguments(error.message),
    stack: withoutArguments(error.stack ?? ''),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof command?.name === 'string' ? { command: command.name } : {}),
    ...(typeof table === 'string' ? { table } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(isErrorLike(cause) && !isDeep ? { cause: toLogged(cause, depth + 1) } : {}),
    ...(Array.isArray(errors) && !isDeep
      ? { errors: errors.filter(isErrorLike).map((one) => toLogged(one, depth + 1)) }
      : {}),
  }
}

function isErrorLike(value: unknown): value is ErrorFields {
  return typeof (value as { message?: unknown } | null | undefined)?.message === 'string'
}

/** Redis repeats the arguments of a command that it does not know. */
function withoutArguments(text: string): string {
  return text.replace(/, with args beginning with: [^\n]*/g, '')
}
