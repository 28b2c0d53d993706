/** Bytes of one message of a page: large enough to be cheap, small enough not to hold up others. */
const chunkBytes = 256 << 10

/** JSON texts joined by commas, cut into messages of about the same size; one empty message for none. */
export function chunksOf(texts: readonly string[]): Buffer[] {
  const chunks: Buffer[] = []
  let text = ''
  const end = () => {
    const bytes = Buffer.from(text)
    for (let at = 0; at === 0 || at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes))
  }
  for (const [index, next] of texts.entries()) {
    if (text.length + next.length > chunkBytes && text !== '') {
      end()
      text = ''
    }
    text += index === 0 ? next : `,${next}`
  }
  end()
  return chunks
}
