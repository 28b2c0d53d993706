/**
 * A queue in which clients have their turns: each client's waiters in order of arrival, and one of every waiting client
 * before the next of the same. A client with hundreds of waiters delays others by one of them.
 */
export class Turns<T> {
  /** Waiters by client, in the order of the clients' turns. */
  readonly #waiting = new Map<string, Set<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(client: string, waiter: T): void {
    const waiters = this.#waiting.get(client)
    if (waiters === undefined) this.#waiting.set(client, new Set([waiter]))
    else waiters.add(waiter)
    this.#size += 1
  }

  remove(client: string, waiter: T): void {
    const waiters = this.#waiting.get(client)
    if (waiters?.delete(waiter) !== true) return
    this.#size -= 1
    if (waiters.size === 0) this.#waiting.delete(client)
  }

  /** The next client's oldest waiter. */
  peek(): T | undefined {
    const [next] = this.#waiting.values()
    const [waiter] = next ?? []
    return waiter
  }

  /** Ends the first client's turn: it goes to the end of the queue. */
  turn(): void {
    const [next] = this.#waiting
    if (next === undefined) return
    const [client, waiters] = next
    this.#waiting.delete(client)
    this.#waiting.set(client, waiters)
  }

  all(): T[] {
    return [...this.#waiting.values()].flatMap((waiters) => [...waiters])
  }
}
