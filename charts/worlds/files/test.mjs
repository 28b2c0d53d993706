// What `helm test` runs. Without an account's token: both hosts answer, in their own words. With one: a world is made,
// written to, read, given a file, and deleted again.
import { env } from 'node:process'

const gateway = env.GATEWAY_URL
const uploadHost = env.UPLOAD_HOST_URL
const token = env.ACCOUNT_TOKEN ?? ''
const pin = env.ACCOUNT_PIN ?? ''
// Names and routes of pods that have just become ready take a moment to arrive everywhere.
const patienceMs = 60_000

function check(isSo, what) {
  if (!isSo) throw new Error(`not so: ${what}`)
  console.log(`ok    ${what}`)
}

async function ask(method, url, { headers = {}, body } = {}) {
  const signal = AbortSignal.timeout(30_000)
  const response = await fetch(url, { method, headers, body, signal })
  const text = await response.text()
  let json = null
  try {
    json = JSON.parse(text)
  } catch {}
  return { status: response.status, json, text }
}

async function expect(status, method, url, options) {
  const reply = await ask(method, url, options)
  if (reply.status !== status)
    throw new Error(`${method} ${url}: ${status} expected, not ${reply.status} ${reply.text}`)
  return reply.json
}

async function until(what, isSo) {
  const end = Date.now() + patienceMs
  for (;;) {
    const found = await isSo().catch((error) => (Date.now() > end ? Promise.reject(error) : false))
    if (found) return found
    if (Date.now() > end) throw new Error(`not so in ${patienceMs / 1000} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function answers() {
  const healthy = async () => (await ask('GET', `${gateway}/api/v2/health`)).status === 200
  check(await until('the gateway is healthy', healthy), 'the gateway is healthy')
  const refused = await ask('GET', `${gateway}/api/v2/world`)
  check(refused.status === 401 && refused.json?.error?.code === 'invalid_credentials', 'no key: 401 in the envelope')
  const upload = async () => [200, 201, 204].includes((await ask('OPTIONS', `${uploadHost}/v1/upload`)).status)
  check(await until('the upload host answers', upload), 'the upload host answers')
  const noTicket = await ask('POST', `${uploadHost}/v1/upload`, { body: 'x' })
  check(noTicket.status >= 400 && noTicket.status < 500 && noTicket.json !== null, 'no ticket: refused, in JSON')
}

async function worldFromEndToEnd() {
  const owner = { Authorization: `Bearer ${token}` }
  const worlds = `${gateway}/api/v2/account/worlds`
  const body = JSON.stringify({ name: 'helm test' })
  const { id, key } = await expect(201, 'POST', worlds, { headers: owner, body })
  console.log(`ok    world ${id} made`)
  try {
    await writeAndRead({ 'API-Key': key, 'API-Pin': pin })
  } finally {
    await expect(204, 'DELETE', `${worlds}/${id}`, { headers: owner })
    console.log('ok    world deleted')
  }
}

async function writeAndRead(headers) {
  const characters = `${gateway}/api/v2/character`
  const made = await expect(201, 'POST', characters, { headers, body: JSON.stringify({ name: 'Ann' }) })
  const read = await expect(200, 'GET', `${characters}/${made.id}`, { headers })
  check(read.name === 'Ann', 'an element is written and read')
  const changes = await expect(200, 'GET', `${gateway}/api/v2/changes`, { headers })
  check(JSON.stringify(changes).includes(made.id), 'the change feed tells of it')

  const bytes = 'hello'
  const files = `${characters}/${made.id}/files`
  const wanted = JSON.stringify({ name: 'hello.txt', kind: 'txt', size: bytes.length })
  const ticket = await expect(201, 'POST', files, { headers, body: wanted })
  // The ticket names the host as clients outside reach it.
  const url = new URL(new URL(ticket.upload_url).pathname, uploadHost)
  await expect(201, 'POST', url, { headers: { Authorization: `Bearer ${ticket.ticket}` }, body: bytes })
  console.log('ok    a file is uploaded')
  const listed = async () => {
    const { data } = await expect(200, 'GET', files, { headers })
    return data.some((file) => file.id === ticket.file_id)
  }
  check(await until('the file is listed', listed), 'the file is listed')
}

try {
  await answers()
  if (token === '') console.log('left out: a world from end to end, for tests.accountTokenSecret names no account')
  else await worldFromEndToEnd()
  console.log('well')
} catch (error) {
  console.error(error.message, error.cause ?? '')
  process.exit(1)
}
