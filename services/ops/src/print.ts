/** The one line that a call prints. */
export function print(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
