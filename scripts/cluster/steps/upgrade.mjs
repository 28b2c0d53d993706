/** Versions come and go under load. */
import { podsOf } from '../pod.mjs'
import { deploy } from '../release.mjs'
import { check } from '../report.mjs'
import { getJson, helm, until } from '../run.mjs'
import { release, services } from '../settings.mjs'
import { sql } from '../stores.mjs'
import { underLoad } from '../under-load.mjs'

export async function upgradeStep({ stores }) {
  await underLoad('helm upgrade to another image and one more migration', async () => {
    await deploy('upgrade', stores, 'image.tag=next')
    return allRun('next')
  })
  const found = await sql(
    stores.databaseUrl,
    "select from information_schema.columns c where c.table_schema = 'element' and c.column_name = 'cluster_test'",
  )
  check(found.length === 1, "the upgrade's migration ran")
}

export async function rollbackStep({ stores }) {
  const history = JSON.parse((await helm(['history', release, '-o', 'json'])).stdout)
  const first = String(history[0].revision)
  await underLoad('helm rollback to the version before, over the newer schema', async () => {
    await helm(['rollback', release, first, '--wait', '--timeout', '10m'])
    return allRun('dev')
  })
  // Its migrations find one in the database that they do not know.
  await underLoad('helm upgrade of the version before, over the newer schema', async () => {
    await deploy('upgrade', stores)
    return allRun('dev')
  })
}

/** Those of the version before may still be on their way out. */
async function allRun(tag) {
  const images = await until(`every pod runs ${tag}`, 180_000, async () => {
    const { items } = await getJson('pods', '-l', `app.kubernetes.io/instance=${release},pod-template-hash`)
    const tags = items.map(({ spec }) => spec.containers[0].image.split(':').at(-1))
    return tags.every((one) => one === tag) && tags.length
  })
  for (const service of Object.keys(services)) {
    if (!(await podsOf(service)).every(({ isReady }) => isReady)) throw new Error(`${service} is not ready`)
  }
  return `${images} pods run ${tag}`
}
