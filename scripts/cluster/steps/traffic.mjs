/** The API from outside the cluster, and how its calls spread over the pods behind the gateway. */
import { callsOf, metricOf, podsOf } from '../pod.mjs'
import { check, seconds } from '../report.mjs'
import { forward, until } from '../run.mjs'
import { pin, release, services } from '../settings.mjs'

async function ask(method, url, headers, body) {
  const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(30_000) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return text.startsWith('{') ? JSON.parse(text) : text
}

export async function trafficStep({ token }) {
  const began = Date.now()
  const [gateway, uploads, downloads] = await Promise.all(
    ['gateway', 'upload-host', 'downloads'].map((name) => forward(`service/${release}-${name}`, 80)),
  )
  try {
    const owner = { Authorization: `Bearer ${token}` }
    const api = `${gateway.url}/api/v2`
    const world = await ask('POST', `${api}/account/worlds`, owner, JSON.stringify({ name: 'From outside' }))
    const headers = { 'API-Key': world.key, 'API-Pin': pin }
    const { id } = await ask('POST', `${api}/character`, headers, JSON.stringify({ name: 'Ann' }))
    const read = await ask('GET', `${api}/character/${id}`, headers)
    check(read.name === 'Ann', 'an element is written and read through the Service', seconds(began))
    const { changes } = await ask('GET', `${api}/changes`, headers)
    check(changes.length === 1 && changes[0].id === id, 'the change feed tells of it', `${changes.length} change`)
    const files = `${api}/character/${id}/files`
    const wanted = JSON.stringify({ name: 'hello.txt', kind: 'txt', size: 5 })
    const ticket = await ask('POST', files, headers, wanted)
    const at = (host, url) => new URL(new URL(url).pathname + new URL(url).search, host.url)
    await ask('POST', at(uploads, ticket.upload_url), { Authorization: `Bearer ${ticket.ticket}` }, 'hello')
    const uploaded = Date.now()
    await until('the file is listed', 60_000, async () => {
      const { data } = await ask('GET', files, headers)
      return data.some((file) => file.id === ticket.file_id)
    })
    check(true, 'an upload is listed', `${seconds(uploaded)} after its 201`)
    const link = await ask('GET', `${files}/${ticket.file_id}/download`, headers)
    const bytes = await ask('GET', at(downloads, link.url ?? link.download_url), {})
    check(bytes === 'hello', 'and downloaded')
    await ask('DELETE', `${api}/account/worlds/${world.id}`, owner)
  } finally {
    for (const one of [gateway, uploads, downloads]) one.close()
  }
}

/** Calls that are waited for: more than would all come to one pod by chance. */
const enough = 20

/** Under load: every pod of every service answers calls. */
export async function spreadStep() {
  for (const [service, facts] of Object.entries(services)) {
    const pods = await podsOf(service)
    const counts = async () => Promise.all(pods.map(({ name }) => callsOf(name, metricOf(facts))))
    if (service === 'upload-host') continue
    const before = await counts()
    let grown = []
    const isSpread = await until('every pod is called', 120_000, async () => {
      grown = (await counts()).map((count, index) => count - before[index])
      return grown.every((more) => more > 0) && grown.reduce((sum, more) => sum + more) >= enough
    }).catch(() => false)
    check(isSpread, `calls go to both pods of ${service}`, grown.map((more) => `+${more}`).join(' and '))
  }
}
