import type { FileHandle } from 'node:fs/promises'

/** Of each of the two, at most. */
const bufferBytes = 1 << 18

/** Writes what comes, however small its pieces are: one buffer is filled while the other is written. */
export class FileWriter {
  #filling: Buffer | undefined
  #writing: Buffer | undefined
  #filled = 0
  #position = 0
  #underWay: Promise<void> = Promise.resolve()

  constructor(
    private readonly file: FileHandle,
    private readonly bytes: number,
  ) {}

  /** Nothing where there is room for more; else who gives it waits. */
  add(chunk: Buffer): Promise<void> | undefined {
    if (chunk.length === 0) return undefined
    this.#filling ??= Buffer.allocUnsafeSlow(Math.min(this.bytes, bufferBytes))
    const copied = chunk.copy(this.#filling, this.#filled)
    this.#filled += copied
    if (this.#filled < this.#filling.length) return undefined
    return this.#flush().then(() => this.add(chunk.subarray(copied)))
  }

  async end(): Promise<void> {
    await this.#flush()
    await this.#underWay
  }

  /** One write is under way at a time; its failure is told by the next, or by the end. */
  async #flush(): Promise<void> {
    if (this.#filling === undefined) return
    await this.#underWay
    const full = this.#filling.subarray(0, this.#filled)
    ;[this.#filling, this.#writing] = [this.#writing, this.#filling]
    this.#underWay = writeAll(this.file, full, this.#position)
    this.#position += this.#filled
    this.#filled = 0
    // Awaited later: until then it must not count as one that nobody handles.
    this.#underWay.catch(() => undefined)
  }
}

/** A disk that is nearly full takes a part of what it is given, and then fails. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}
