import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addFile, addImage, ask, png } from './files-support'
import { newOwner, type Owner } from './support'

const places = 4

/** What the download host does when many want something of it, or want it in odd ways. */
describe('the download host', () => {
  let system: System
  let own: Owner
  beforeAll(async () => {
    system = await startSystem({ files: true, env: { file: { DOWNLOADS_AT_ONCE: String(places) } } })
    own = await newOwner(system)
  })
  afterAll(() => system.stop())

  /** Asks for all of it and reads none. */
  function asksAndWaits(url: string): Socket {
    const { hostname, port, pathname, host } = new URL(url)
    const socket = connect(Number(port), hostname).pause()
    socket.on('error', () => undefined)
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    return socket
  }

  it('has so many places for those who read slowly, and keeps nobody else from the store', async () => {
    const { url } = await addImage(own, png(10_485_760))
    const { id } = await own.make('location')
    const file = await addFile(own, 'location', id)
    const slow = Array.from({ length: places }, () => asksAndWaits(url))
    await until(async () => (await ask(url, { method: 'HEAD' })).status === 503)
    const { status, headers, body } = await ask(url)
    expect([status, headers.get('retry-after'), body]).toEqual([503, '1', { error: 'unavailable' }])
    // Uploads, listings and removals go on, for they have connections of their own.
    await addFile(own, 'location', id)
    expect((await own.delete(`/api/v2/location/${id}/files/${file.id}`)).status).toBe(204)
    for (const socket of slow) socket.destroy()
    await until(async () => (await ask(url)).status === 200)
  })

  it('knows no key that is longer than any', async () => {
    const { status, body } = await ask(`${system.filesUrl}/u/${'a'.repeat(1_100)}`)
    expect([status, body]).toEqual([404, { error: 'not_found' }])
  })

  it('says what may be done where something may not', async () => {
    const { status, headers } = await ask(`${system.filesUrl}/u/x`, { method: 'POST' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const refused = await ask(system.uploadUrl)
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  it.each([
    ['an image', async () => new URL((await addImage(own)).url), 200],
    ['the upload host', async () => new URL(system.uploadUrl), 405],
  ])('and %s are found by the absolute form of a target too', async (_what, at, expected) => {
    const url = await at()
    const status = await new Promise((resolve, reject) => {
      const asked = request({ hostname: url.hostname, port: url.port, path: url.href }, (reply) => {
        reply.resume()
        resolve(reply.statusCode)
      })
      asked.on('error', reject).end()
    })
    expect(status).toBe(expected)
  })
})
