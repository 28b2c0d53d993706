/** What the bytes of an upload must be for its kind, judged while they stream by. */
import type { FileKind, ImageType } from '@worlds/storage/kinds'
import { headBytes, imageTypeOf } from './image-type'
import { TextWindow } from './text-window'

/** False as soon as the bytes cannot be of the kind. Chunks are of any size; after a false nothing more is asked. */
export interface StreamCheck {
  push(chunk: Buffer): boolean
  end(): boolean
}

/** For a zip this is only the start: `isSoundZip` reads the whole file once it is there. */
export function checkFor(kind: FileKind): StreamCheck {
  switch (kind) {
    case 'pdf':
      return new PrefixCheck(['%PDF-'])
    case 'zip':
      // A zip begins with its first entry or, when it is empty, with its end.
      return new PrefixCheck(['PK\x03\x04', 'PK\x05\x06'])
    case 'txt':
    case 'md':
    case 'json':
    case 'csv':
    case 'yaml':
    case 'toml':
      return new TextWindow()
  }
}

/** Finds out what an image is; its type is there once the head has gone by, or the end. */
export class ImageCheck implements StreamCheck {
  readonly #head = new Head(headBytes)
  #type: ImageType | null = null

  get type(): ImageType | null {
    return this.#type
  }

  push(chunk: Buffer): boolean {
    if (this.#head.isFull) return this.#type !== null
    this.#head.add(chunk)
    return !this.#head.isFull || this.end()
  }

  end(): boolean {
    this.#type ??= imageTypeOf(this.#head.bytes)
    return this.#type !== null
  }
}

/** The bytes begin with one of some texts of one length. */
class PrefixCheck implements StreamCheck {
  readonly #head: Head
  readonly #prefixes: readonly Buffer[]

  constructor(prefixes: readonly string[]) {
    this.#prefixes = prefixes.map((prefix) => Buffer.from(prefix, 'latin1'))
    this.#head = new Head(Math.max(...this.#prefixes.map((prefix) => prefix.length)))
  }

  push(chunk: Buffer): boolean {
    this.#head.add(chunk)
    const { bytes } = this.#head
    return this.#prefixes.some((prefix) => prefix.subarray(0, bytes.length).equals(bytes))
  }

  end(): boolean {
    return this.#prefixes.some((prefix) => prefix.equals(this.#head.bytes))
  }
}

/** The first bytes of a stream. */
class Head {
  #bytes = Buffer.alloc(0)
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  get isFull(): boolean {
    return this.#bytes.length === this.#limit
  }

  add(chunk: Buffer): void {
    if (!this.isFull) this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(0, this.#limit - this.#bytes.length)])
  }
}
