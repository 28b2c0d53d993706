import exec from 'k6/execution'
import { ask, type Reply } from './client.ts'

export interface World {
  /** '' for a world that was given by its key, and stays. */
  readonly id: string
  readonly headers: Record<string, string>
}

/**
 * The worlds that a run works in: the one whose key is WORLD_KEY (with WORLD_PIN), or else as many as asked for, made
 * by ACCOUNT_TOKEN (with ACCOUNT_PIN).
 */
export function openWorlds(count: number): World[] {
  const { WORLD_KEY: key, WORLD_PIN: pin, ACCOUNT_TOKEN: token, ACCOUNT_PIN: accountPin } = __ENV
  if (key) return [{ id: '', headers: headersOf(key, pin) }]
  if (!token) exec.test.abort('WORLD_KEY or ACCOUNT_TOKEN must say where to write')
  return Array.from({ length: count }, (_, index) => {
    const body = { name: `Load test ${index + 1}` }
    const reply = ask('POST', '/api/v2/account/worlds', { op: 'prepare', headers: bearer(), body })
    if (reply.status !== 201) exec.test.abort(`no world was made: ${describe(reply)}`)
    return { id: reply.body.id as string, headers: headersOf(reply.body.key, accountPin) }
  })
}

/** Deletes the worlds that `openWorlds` made. */
export function closeWorlds(worlds: readonly World[]): void {
  for (const { id } of worlds) {
    if (id !== '') ask('DELETE', `/api/v2/account/worlds/${id}`, { op: 'prepare', headers: bearer() })
  }
}

export function describe({ status, text }: Reply): string {
  return `${status} ${text.slice(0, 300)}`
}

/** Of the account that made the worlds. */
export function bearer(): Record<string, string> {
  return { Authorization: `Bearer ${__ENV.ACCOUNT_TOKEN}` }
}

function headersOf(key: string, pin: string | undefined): Record<string, string> {
  return { 'API-Key': key, ...(pin ? { 'API-Pin': pin } : {}) }
}
