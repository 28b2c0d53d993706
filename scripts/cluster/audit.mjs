/** What became of everything that the load was told is done. Runs in the load's pod. */
import { setTimeout as sleep } from 'node:timers/promises'

/** `read(world, path)` answers the body. */
export async function audit(worlds, { elements, files }, read) {
  const missing = []
  const ids = new Map()
  for (const world of worlds) {
    const there = await elementsOf(world, read)
    for (const [id, name] of there) {
      const key = `${world.id} ${name}`
      if (name !== 'first') ids.set(key, [...(ids.get(key) ?? []), id])
    }
    missing.push(...elements.filter((one) => one.world === world && !there.has(one.id)).map(({ name }) => name))
  }
  const twiceThere = [...ids].filter(([, all]) => all.length > 1).map(([name]) => name)
  return { elements: elements.length, missing, twiceThere, ...(await auditFiles(worlds, files, read)) }
}

/** Ids and names, as the feed has them from its beginning. */
async function elementsOf(world, read) {
  const there = new Map()
  let since = ''
  for (;;) {
    const page = await read(world, `changes?limit=1000${since}`)
    for (const { op, id, element } of page.changes) if (op === 'upsert') there.set(id, element.name)
    if (!page.has_more) return there
    since = `&since=${encodeURIComponent(page.cursor)}`
  }
}

/** A file is listed moments after its 201: who died in between is found out by the rounds. */
async function auditFiles(worlds, files, read) {
  const end = Date.now() + 120_000
  for (;;) {
    const listed = new Set()
    for (const world of worlds) {
      const { data } = await read(world, 'world/files')
      for (const { id } of data) listed.add(id)
    }
    const filesMissing = files.map(({ id }) => id).filter((id) => !listed.has(id))
    if (filesMissing.length === 0 || Date.now() > end) return { files: files.length, filesMissing }
    await sleep(1_000)
  }
}
