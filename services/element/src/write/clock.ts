/** The service's clock in microseconds, of which one process never gives the same twice. */
let latest = 0

/** Later than `after`, and otherwise the time of day. */
export function nextMicros(after: number): number {
  const now = Date.now() * 1000 + (Math.floor(performance.now() * 1000) % 1000)
  latest = Math.max(now, latest + 1, after + 1)
  return latest
}

export function formatMicros(micros: number): string {
  const iso = new Date(Math.floor(micros / 1000)).toISOString()
  return `${iso.slice(0, 23)}${String(micros % 1000).padStart(3, '0')}+00:00`
}
