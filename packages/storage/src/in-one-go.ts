import { Readable, type Writable } from 'node:stream'

/**
 * A body that is in memory already. Piped, its pieces leave in as few writes as the system takes, where a
 * write for each of them would cost more than all they hold.
 */
export class InOneGo extends Readable {
  constructor(private readonly pieces: readonly Buffer[]) {
    super()
  }

  override _read(): void {
    for (const piece of this.pieces) this.push(piece)
    this.push(null)
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    const { cork, uncork } = destination as unknown as Writable
    cork.call(destination)
    for (const piece of this.pieces) destination.write(piece)
    destination.end()
    uncork.call(destination)
    return destination
  }
}
