const shortest = 32

/**
 * Returns the service tokens of a comma-separated list, the one to send first. Empty items are dropped: a server that
 * accepted an empty token would accept calls without one. Throws if no token is left or if one is too short to be a
 * secret.
 */
export function readServiceTokens(list: string): string[] {
  const tokens = list
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '')
  const isTooShort = tokens.some((token) => token.length < shortest)
  if (tokens.length === 0 || isTooShort)
    throw new Error(`SERVICE_TOKEN is one or more secrets, separated by commas, each of ${shortest} characters or more`)
  return tokens
}
