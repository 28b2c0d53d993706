/** What k6 gives every script and its types leave out. */
declare const console: { error(message: string): void; log(message: string): void }
declare const crypto: { randomUUID(): string }
