/** Resolves in the event loop's next turn: between two pieces of long work others have theirs. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
