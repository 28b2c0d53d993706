import type { FileHandle } from 'node:fs/promises'

/** What is gathered before it is written in one go. */
const atOnce = 1 << 19

/** Writes chunks as they come, many at a time, while more of them come. */
export class FileWriter {
  #chunks: Buffer[] = []
  #gathered = 0
  #position = 0
  #underWay: Promise<void> = Promise.resolve()

  constructor(private readonly file: FileHandle) {}

  /** Nothing where the chunk only joins others; else who gives it waits. */
  add(chunk: Buffer): Promise<void> | undefined {
    this.#chunks.push(chunk)
    this.#gathered += chunk.length
    return this.#gathered >= atOnce ? this.#flush() : undefined
  }

  async end(): Promise<void> {
    await this.#flush()
    await this.#underWay
  }

  /** One write is under way at a time; its failure is told by the next, or by the end. */
  async #flush(): Promise<void> {
    if (this.#gathered === 0) return
    const [chunks, position] = [this.#chunks, this.#position]
    this.#position += this.#gathered
    this.#chunks = []
    this.#gathered = 0
    await this.#underWay
    this.#underWay = writeAll(this.file, chunks, position)
    // Awaited later: until then it must not count as one that nobody handles.
    this.#underWay.catch(() => undefined)
  }
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[], position: number): Promise<void> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  let { bytesWritten: written } = await file.writev(chunks, position)
  if (written === length) return
  // A disk that is nearly full takes a part of what it is given, and then fails.
  const whole = Buffer.concat(chunks)
  while (written < length) {
    const { bytesWritten } = await file.write(whole, written, length - written, position + written)
    written += bytesWritten
  }
}
