/** Bytes of one message of a page: large enough to be cheap, small enough not to hold up others. */
const chunkBytes = 256 << 10

/**
 * Joins JSON texts by commas and cuts them into messages of at most `chunkBytes`, between two texts where one message
 * holds several. Returns one empty message for no texts. A longer message would let the server send that much beyond
 * what the client grants, and would count as slow while the client takes it.
 */
export function chunksOf(texts: readonly string[]): Buffer[] {
  const chunks: Buffer[] = []
  let text = ''
  for (const next of texts) {
    if (text.length + next.length > chunkBytes && text !== '') {
      chunks.push(...cut(text))
      text = ''
    }
    text += chunks.length === 0 && text === '' ? next : `,${next}`
  }
  chunks.push(...cut(text))
  return chunks
}

function* cut(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text)
  if (bytes.length === 0) yield bytes
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}
