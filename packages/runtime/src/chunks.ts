import { replyWindow } from './reply-parts'

/** Bytes of one message of a page: large enough to be cheap, small enough not to hold up others. */
const chunkBytes = 256 << 10

/** Bytes of texts that are one message together: as many as may be on their way without being taken. */
const wholeBytes = replyWindow

/** JSON texts joined by commas, cut into messages of about the same size; one message for few or none. */
export function chunksOf(texts: readonly string[]): Buffer[] {
  // No character takes more than three bytes for each of its UTF-16 code units.
  const units = texts.reduce((sum, { length }) => sum + length + 1, 0)
  if (units * 3 <= wholeBytes) return [Buffer.from(texts.join())]
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
