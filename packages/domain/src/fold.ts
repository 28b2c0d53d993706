/**
 * How names are compared without case: Unicode lower case, independent of any database's locale. A sigma is the same
 * wherever in its word it stands.
 */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('ς', 'σ')
}

/** A pattern for `like` that matches names which hold `text`, taken literally. */
export function containsPattern(text: string): string {
  return `%${foldName(text).replace(/[\\%_]/g, '\\$&')}%`
}
