/**
 * Looks at JSON text as raw spans, so that what a client wrote (`1e2`, `-0`, the order of keys)
 * survives whatever is done to the text around it. Every function takes text that JSON.parse has
 * accepted; on other text the result is undefined.
 */

/** Members of an object as raw compact text, in order of first appearance; a repeated key's last value wins. */
export function scanMembers(text: string): Map<string, string> {
  const members = new Map<string, string>()
  let at = skipSpace(text, text.indexOf('{') + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(text, at)
    const key = JSON.parse(text.slice(at, keyEnd)) as string
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = endOfValue(text, start)
    members.set(key, compact(text.slice(start, end)))
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return members
}

/** Items of an array as raw text. */
export function scanItems(text: string): string[] {
  const items: string[] = []
  let at = skipSpace(text, text.indexOf('[') + 1)
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = endOfValue(text, at)
    items.push(text.slice(at, end))
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return items
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const LETTER_N = 0x6e
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}

function endOfString(text: string, open: number): number {
  let at = open + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** Where the value that begins at `start` ends. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, start)
  if (first === LETTER_N) return start + 'null'.length
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code)) break
    at += 1
  }
  return at
}

function endOfNested(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      continue
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1
      if (depth === 0) return at + 1
    }
    at += 1
  }
  return at
}

/** Takes insignificant white space out. */
function compact(value: string): string {
  const first = value.charCodeAt(0)
  if ((first !== OPEN_BRACE && first !== OPEN_BRACKET) || !/\s/.test(value)) return value
  let out = ''
  let at = 0
  while (at < value.length) {
    const code = value.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(value, at)
      out += value.slice(at, end)
      at = end
    } else {
      if (!isSpace(code)) out += value[at]
      at += 1
    }
  }
  return out
}
