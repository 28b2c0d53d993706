import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, addImage, ask, png } from './files-support'
import { expectBody, newOwner } from './support'

/** Parts of what the download host serves: of files and of images alike. */
let system: System
const digits = '0123456789'
const image = png(64)
let urls: Readonly<Record<'file' | 'image', { url: string; bytes: Buffer }>>

beforeAll(async () => {
  system = await startSystem({ files: true })
  const own = await newOwner(system)
  const { id } = await own.make('location')
  const file = await addFile(own, 'location', id, {}, digits)
  const { url } = expectBody(await own.get(`/api/v2/location/${id}/files/${file.id}/download`), 200)
  urls = { file: { url, bytes: Buffer.from(digits) }, image: { url: (await addImage(own, image)).url, bytes: image } }
})
afterAll(() => system.stop())

describe.each(['file', 'image'] as const)('a part of a %s', (what) => {
  it.each<[string, number, number]>([
    ['bytes=0-3', 0, 4],
    ['bytes=0-0', 0, 1],
    ['bytes=5-', 5, Number.POSITIVE_INFINITY],
    ['bytes=9-9', 9, 10],
    ['bytes=2-9999', 2, Number.POSITIVE_INFINITY],
    ['bytes=0-', 0, Number.POSITIVE_INFINITY],
    ['bytes=-3', -3, Number.POSITIVE_INFINITY],
    ['bytes=-9999', 0, Number.POSITIVE_INFINITY],
  ])('[FL-072] %s is answered with it', async (range, from, to) => {
    const { url, bytes } = urls[what]
    const part = bytes.subarray(from, Math.min(to, bytes.length))
    const first = from < 0 ? bytes.length + from : from
    for (const method of ['GET', 'HEAD']) {
      const reply = await ask(url, { method, headers: { Range: range } })
      expect([reply.status, reply.bytes]).toEqual([206, method === 'HEAD' ? Buffer.alloc(0) : part])
      expect(reply.headers.get('content-length')).toBe(String(part.length))
      expect(reply.headers.get('content-range')).toBe(`bytes ${first}-${first + part.length - 1}/${bytes.length}`)
      expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it.each(['bytes=64-', 'bytes=1000-2000', 'bytes=-0'])('[FL-072] %s is beyond it', async (range) => {
    const { url, bytes } = urls[what]
    const { status, headers } = await ask(url, { headers: { Range: range } })
    expect([status, headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it.each(['bytes=0-1,3-4', 'bytes=5-2', 'bytes=', 'bytes=-', 'bytes=a-b', 'items=0-1', '0-1'])(
    '[FL-072] %s is no part: all is answered',
    async (range) => {
      const { url, bytes } = urls[what]
      const reply = await ask(url, { headers: { Range: range } })
      expect([reply.status, reply.bytes]).toEqual([200, bytes])
      expect(reply.headers.has('content-range')).toBe(false)
    },
  )

  it('[FL-072] of what the client has not is no use to it: all is answered', async () => {
    const { url, bytes } = urls[what]
    const reply = await ask(url, { headers: { Range: 'bytes=0-1', 'If-Range': '"another"' } })
    expect([reply.status, reply.bytes]).toEqual([200, bytes])
  })

  it('[FL-076] may be asked for from any page', async () => {
    const asked = {
      Origin: 'https://x.example',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'range',
    }
    const { status, headers } = await ask(urls[what].url, { method: 'OPTIONS', headers: asked })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain('range')
  })

  it('[FL-072] HEAD tells what GET would, without the bytes', async () => {
    const { url } = urls[what]
    const [head, get] = [await ask(url, { method: 'HEAD' }), await ask(url)]
    const told = ({ headers }: { headers: Headers }) =>
      Object.fromEntries([...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)))
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(told(head)).toEqual(told(get))
  })
})
