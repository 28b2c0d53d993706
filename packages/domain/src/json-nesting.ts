/** How deep JSON text may nest, and how many lists, objects and members it may hold: far more than any that is accepted. */
const depthLimit = 2_000
const mostParts = 120_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a

export interface NestingExcess {
  /** Name of the object's member that exceeds a limit; null where none is at fault. */
  readonly member: string | null
}

/**
 * Returns what of JSON text exceeds these limits, judged by its raw bytes; null for text within them. Parsing text that
 * nests a million levels, or holds as many names, stops the process for a third of a second and more, and small objects
 * take twenty times the memory of their text.
 */
export function nestingExcess(body: Uint8Array, partsLimit = mostParts): NestingExcess | null {
  if (body.length <= depthLimit) return null
  let depth = 0
  let parts = 0
  let inText = false
  /** Where the last text of the outermost object or list begins: before a container, that is its name. */
  let textStart = -1
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (inText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) {
      inText = true
      if (depth === 1) textStart = at
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      parts += 1
    } else if (byte === COLON) {
      parts += 1
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1
    }
    if (depth > depthLimit || parts > partsLimit) return { member: textAt(body, textStart) }
  }
  return null
}

/** Bytes of the longest name that is reported. */
const nameBytes = 400

function textAt(body: Uint8Array, start: number): string | null {
  if (start < 0) return null
  const end = body.indexOf(QUOTE, start + 1)
  if (end < 0 || end - start > nameBytes) return null
  try {
    return JSON.parse(new TextDecoder().decode(body.subarray(start, end + 1))) as string
  } catch {
    return null
  }
}
