/** Microseconds since the Unix epoch; one process never takes the same twice. */
let latest = 0

export function nowMicros(): number {
  latest = Math.max(Date.now() * 1000 + (Math.floor(performance.now() * 1000) % 1000), latest + 1)
  return latest
}

/** The time of a write: now, and later than the world's last write, whatever clock that one went by. */
export function timeAfter(lastWrite: number): number {
  return Math.max(nowMicros(), lastWrite + 1)
}

export function formatMicros(micros: number): string {
  const iso = new Date(Math.floor(micros / 1000)).toISOString()
  return `${iso.slice(0, 23)}${String(micros % 1000).padStart(3, '0')}+00:00`
}
