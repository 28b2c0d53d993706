/** Bytes of one message of a page: large enough to be cheap, small enough not to hold up others. */
const chunkBytes = 256 << 10

/** JSON texts joined by commas, cut into messages between two texts; one empty message for none. */
export function chunksOf(texts: readonly string[]): Buffer[] {
  const chunks: Buffer[] = []
  let text = ''
  for (const next of texts) {
    if (text.length + next.length > chunkBytes && text !== '') {
      chunks.push(Buffer.from(text))
      text = ''
    }
    text += chunks.length === 0 && text === '' ? next : `,${next}`
  }
  chunks.push(Buffer.from(text))
  return chunks
}
