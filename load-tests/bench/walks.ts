import { residentMib } from './cpu'
import { fill } from './fill'
import type { Stage } from './stage'
import { type Walk, walk } from './walk'

export interface WalkResult {
  readonly elements: number
  readonly pathA: Walk
  readonly system: Walk
  readonly peakMib: Record<string, number>
  readonly text: string
}

/** The whole feed of a small world and of a large one, beside path A's table read the same way. */
export async function runWalks(stage: Stage, large: number): Promise<WalkResult[]> {
  const results: WalkResult[] = []
  for (const elements of [1_000, large]) {
    const { headers, world } = await stage.newWorld()
    await fill(stage, { ...headers }, world, elements)
    const peak = watchMemory(stage)
    const a = await best(() =>
      walk(`${stage.baseline}/${world}?limit=1000`, {}, (_, last) =>
        Number(last) >= elements || last === '0' ? null : `${stage.baseline}/${world}?limit=1000&after=${last}`,
      ),
    )
    const system = await best(() =>
      walk(`${stage.gateway}/api/v2/changes?limit=1000`, { ...headers }, (head) => {
        const [, cursor, more] = /"cursor":"([^"]+)","has_more":(true|false)/.exec(head) ?? []
        return more === 'true' ? `${stage.gateway}/api/v2/changes?limit=1000&since=${cursor}` : null
      }),
    )
    const list = await best(() => walk(`${stage.gateway}/api/v2/character?limit=100`, { ...headers }, () => null))
    const peakMib = peak.stop()
    const perElement = (one: Walk) => `${((one.seconds / elements) * 1e6).toFixed(1)} us each`
    const memory = Object.entries(peakMib)
      .map(([name, mib]) => `${name} ${mib.toFixed(0)}`)
      .join(' ')
    const text =
      `walk of ${elements}: A ${a.seconds.toFixed(2)} s (${perElement(a)}), ours ${system.seconds.toFixed(2)} s ` +
      `(${perElement(system)}), ratio ${(system.seconds / a.seconds).toFixed(2)} (bar <= 3); ` +
      `a page of 100: ${(list.seconds * 1000).toFixed(1)} ms; peak MiB: ${memory}`
    results.push({ elements, pathA: a, system, peakMib, text })
  }
  return results
}

async function best(run: () => Promise<Walk>): Promise<Walk> {
  const runs = [await run(), await run(), await run()]
  return runs.sort((x, y) => x.seconds - y.seconds)[0] as Walk
}

/** The most that each process of the system was resident in. */
function watchMemory({ system }: Stage) {
  const peak: Record<string, number> = {}
  const look = () => {
    for (const [name, { pid, withChildren }] of Object.entries(system)) {
      if (!withChildren) peak[name] = Math.max(peak[name] ?? 0, residentMib(pid))
    }
  }
  const timer = setInterval(look, 50)
  return {
    stop() {
      clearInterval(timer)
      look()
      return peak
    },
  }
}
