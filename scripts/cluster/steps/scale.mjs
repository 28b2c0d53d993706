/** More and fewer pods under load. */
import { allPodsOf, callsOf, metricOf, podsOf } from '../pod.mjs'
import { deploy } from '../release.mjs'
import { check, seconds } from '../report.mjs'
import { until } from '../run.mjs'
import { services } from '../settings.mjs'
import { underLoad } from '../under-load.mjs'

/** Connections are renewed after two minutes at most; names are looked up every five seconds. */
const calledWithinMs = 150_000

export async function scaleStep({ stores }) {
  for (const service of ['element', 'gateway']) {
    const before = (await podsOf(service)).map(({ uid }) => uid)
    let added
    await underLoad(`${service} grows to three pods`, async () => {
      await deploy('upgrade', stores, `${service}.replicas=3`)
      added = (await podsOf(service)).find(({ uid }) => !before.includes(uid))
      const began = Date.now()
      await until(
        'the new pod is called',
        calledWithinMs,
        async () => (await callsOf(added.name, metricOf(services[service]))) > 0,
      )
      return `the new pod was called ${seconds(began)} after helm was done`
    })
    await underLoad(`${service} shrinks to two pods`, async () => {
      await deploy('upgrade', stores)
      await until('the third pod is gone', 120_000, async () => (await allPodsOf(service)).length === 2)
    })
  }
  for (const service of Object.keys(services)) {
    const pods = await podsOf(service)
    if (pods.length !== 2) check(false, `two pods of ${service}`, String(pods.length))
  }
}
