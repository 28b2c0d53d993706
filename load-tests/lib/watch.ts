import exec from 'k6/execution'
import http from 'k6/http'
import { Trend } from 'k6/metrics'

/** What a process takes now to what it took in the first fifth of the run. */
const growth = new Trend('memory_growth')
const residentMb = new Trend('resident_mb')

/** Of the one virtual user that watches, by service. */
const early = new Map<string, number[]>()

/** Looks at the memory of every process of METRICS_URLS, `gateway=http://…,element=http://…`. */
export function watchMemory(): void {
  const { progress } = exec.scenario
  for (const entry of (__ENV.METRICS_URLS ?? '').split(',').filter((one) => one !== '')) {
    const [service = '', url = ''] = entry.split('=')
    const text = String(http.get(`${url}/metrics`, { tags: { op: 'control', name: 'control' } }).body)
    const mb = Number(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1]) / 1e6
    if (!(mb > 0)) continue
    residentMb.add(mb, { service })
    const known = early.get(service) ?? []
    if (progress < 0.2) early.set(service, [...known, mb])
    else if (progress > 0.8 && known.length > 0) growth.add(mb / Math.max(...known), { service })
  }
}
