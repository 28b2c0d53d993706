import { randomUUID } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addFile, addImage, ask, untilReported } from './files-support'
import { newParty, type PartyName } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let place: string
const digits = '0123456789'

beforeAll(async () => {
  system = await startSystem({ files: true })
  own = await newOwner(system)
  place = (await own.make('location')).id
})
afterAll(() => system.stop())

const path = (file: string) => `/api/v2/location/${place}/files/${file}`
const linkTo = async (file: string, by = own as Pick<Owner, 'get'>): Promise<Body> =>
  expectBody(await by.get(`${path(file)}/download`), 200)

async function newLink(body: Body = {}, bytes: string | Buffer = digits): Promise<Body> {
  const { id } = await addFile(own, 'location', place, body, bytes)
  return { id, ...(await linkTo(id)) }
}

describe('a download link', () => {
  it('[FL-032][FL-073] is told whole, and lives five minutes', async () => {
    const { id } = await addFile(own, 'location', place, { name: 'a b.md', kind: 'md' })
    const before = Math.floor(Date.now() / 1000)
    const body = await linkTo(id)
    const after = Math.ceil(Date.now() / 1000)
    expect(body).toEqual({ url: expect.any(String), exp: expect.any(Number), name: 'a b.md', kind: 'md', size: 5 })
    expect(Number.isInteger(body.exp)).toBe(true)
    expect(body.exp).toBeGreaterThanOrEqual(before + 300)
    expect(body.exp).toBeLessThanOrEqual(after + 300)
    expect(body.url.startsWith(`${system.filesUrl}/w/${own.world}/${place}/${id}.md?`)).toBe(true)
    expect((await own.get(`${path(id)}/download/`)).status).toBe(200)
  })

  it.each<PartyName>(['owner', 'read key of the owner', 'co_builder', 'contributor', 'read key of a contributor'])(
    '[FL-032] is given to any key that sees the element: %s',
    async (name) => {
      const { id } = await newLink()
      const { url } = await linkTo(id, await newParty(system, own, name))
      expect((await ask(url)).bytes.toString()).toBe(digits)
    },
  )

  it('[FL-032] needs no PIN, and does not look at one', async () => {
    const { id } = await newLink()
    for (const pin of [{}, { 'API-Pin': '9999' }] as Record<string, string>[])
      await linkTo(id, api(system.gateway, { 'API-Key': own.key, ...pin }))
  })

  it('[FL-072][FL-074][FL-076] needs no key, from any origin, as often as one likes', async () => {
    const { url } = await newLink()
    for (const headers of [{}, { Origin: 'https://x.example' }, { Origin: 'null', 'API-Key': 'x' }] as Record<
      string,
      string
    >[]) {
      const reply = await ask(url, { headers })
      expect([reply.status, reply.bytes.toString()]).toEqual([200, digits])
      expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it.each([
    ['a.pdf', 'pdf', '%PDF-1.7', 'application/pdf'],
    ['a.txt', 'txt', 'a', 'text/plain; charset=utf-8'],
    ['a.md', 'md', 'a', 'text/markdown; charset=utf-8'],
    ['a.json', 'json', 'a', 'application/json'],
    ['a.csv', 'csv', 'a', 'text/csv; charset=utf-8'],
    ['a.yml', 'yaml', 'a', 'application/yaml'],
    ['a.toml', 'toml', 'a', 'application/toml'],
    ['a.zip', 'zip', Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1'), 'application/zip'],
  ])('[FL-075] serves %s as what it is, to be saved', async (name, kind, bytes, type) => {
    const { headers, bytes: got } = await ask((await newLink({ name, kind }, bytes)).url)
    expect(got).toEqual(Buffer.from(bytes))
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': type,
      'content-disposition': expect.stringMatching(`^attachment; filename="${name}"; filename\\*=UTF-8''${name}$`),
      'content-length': String(got.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'accept-ranges': 'bytes',
    })
  })

  it.each([
    'plain name.txt',
    'say "hi".txt',
    "it's (here); a=b, c.txt",
    '50% off.txt',
    'Größe.txt',
    '😀.txt',
    '世界地図.txt',
    'a\r\nSet-Cookie: x=y\r\n\r\n.txt',
    `${'ü'.repeat(251)}.txt`,
  ])('[FL-075] names what it serves: %j', async (asked) => {
    const { url, name } = await newLink({ name: asked })
    const { status, headers } = await ask(url)
    const disposition = headers.get('content-disposition') ?? ''
    const [, plain = '', encoded = ''] =
      /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([\w%.!#$&+^`|~-]*)$/.exec(disposition) ?? []
    expect([status, decodeURIComponent(encoded)]).toEqual([200, name])
    expect(plain).toMatch(/^[\x20-\x7e]+\.txt$/)
    expect(headers.has('set-cookie')).toBe(false)
  })

  it('[FL-025][FL-072] ends with its file, and with its element', async () => {
    const [gone, orphan] = [await newLink(), await newLink()]
    expect((await own.delete(path(gone.id))).status).toBe(204)
    for (const method of ['GET', 'HEAD']) expect((await ask(gone.url, { method })).status).toBe(404)
    expect((await ask(gone.url)).body).toEqual({ error: 'not_found' })
    expect((await ask(orphan.url)).status).toBe(200)
    expect((await own.delete(`/api/v2/location/${place}`)).status).toBe(204)
    await until(async () => (await ask(orphan.url)).status === 404)
    expect((await ask(orphan.url)).body).toEqual({ error: 'not_found' })
    place = (await own.make('location')).id
  })

  it('[HD-041][FL-072] is not recalled by a hide', async () => {
    const contributor = await newParty(system, own, 'contributor')
    const { id } = await newLink()
    const { url } = await linkTo(id, contributor)
    expect((await own.put(`/api/v2/location/${place}/hidden`)).status).toBe(204)
    expect((await contributor.get(`${path(id)}/download`)).status).toBe(404)
    expect((await ask(url)).bytes.toString()).toBe(digits)
    expect((await own.delete(`/api/v2/location/${place}/hidden`)).status).toBe(204)
  })
})

describe('a link that was not given', () => {
  let one: URL
  let other: URL
  beforeAll(async () => {
    one = new URL((await newLink({ name: 'one.txt' })).url)
    other = new URL((await newLink({ name: 'two.txt' })).url)
  })

  const changed = (change: (url: URL) => void) => {
    const url = new URL(one)
    change(url)
    return url.href
  }
  const parameters = () => [...one.searchParams.keys()]

  it('[FL-072] is refused, whatever of it was changed', async () => {
    expect((await ask(one.href)).status).toBe(200)
    const forged = [
      changed((url) => (url.search = '')),
      changed((url) => (url.search = other.search)),
      changed((url) => (url.pathname = other.pathname)),
      changed((url) => url.searchParams.set('name', 'evil.html')),
      changed((url) => url.searchParams.set('name', '')),
      changed((url) => url.searchParams.set('exp', String(Number(url.searchParams.get('exp')) + 1))),
      changed((url) => url.searchParams.set('exp', 'nonsense')),
      changed((url) => url.searchParams.set('exp', '0')),
      changed((url) => url.searchParams.set('exp', '9'.repeat(30))),
      changed((url) => (url.pathname = url.pathname.replace(/\.txt$/, '.md'))),
      changed((url) => (url.pathname = url.pathname.replace(/[^/]+\.txt$/, `${randomUUID()}.txt`))),
      changed((url) => (url.pathname = url.pathname.toUpperCase().replace('/W/', '/w/'))),
      ...parameters().map((name) => changed((url) => url.searchParams.delete(name))),
      ...parameters()
        .filter((name) => name !== 'name' && name !== 'exp')
        .flatMap((name) => [
          changed((url) => url.searchParams.set(name, '')),
          changed((url) => url.searchParams.set(name, other.searchParams.get(name) ?? '')),
          changed((url) => url.searchParams.set(name, `${url.searchParams.get(name)}x`)),
        ]),
    ]
    for (const url of forged) {
      const { status, body, headers } = await ask(url)
      expect([url, status, body]).toEqual([url, 403, { error: 'link_invalid' }])
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it('[FL-072] leads nowhere beside files and images', async () => {
    const { key } = await addImage(own)
    await untilReported(own, key)
    expect((await ask(`${system.filesUrl}/${key}`)).status).toBe(200)
    for (const at of [
      '',
      'w',
      `w/${own.world}/${place}`,
      `pointers/${own.world}/x`,
      `removed/${key}`,
      `u/${own.world}/../${own.world}/x.png`,
      `u/${own.world}/%2e%2e/${own.world}/x.png`,
      `u//${own.world}/x.png`,
      `u/${own.world}/`,
      `u/${own.world}`,
      'u/',
    ]) {
      const { status, body } = await ask(`${system.filesUrl}/${at}`)
      expect([at, status, body]).toEqual([at, 404, { error: 'not_found' }])
    }
  })
})

it('[FL-073][FL-074] a link is good until its time, and then it is not', async () => {
  const brief = await startSystem({ files: true, env: { file: { LINK_LIFE_MS: '1500' } } })
  try {
    const owner = await newOwner(brief)
    const { id } = await owner.make('location')
    const file = await addFile(owner, 'location', id)
    const { url, exp } = expectBody(await owner.get(`/api/v2/location/${id}/files/${file.id}/download`), 200)
    expect((await ask(url)).status).toBe(200)
    expect((await ask(url)).status).toBe(200)
    let last = Date.now()
    await until(async () => {
      last = Date.now()
      return (await ask(url)).status !== 200
    })
    expect(last).toBeGreaterThanOrEqual(exp * 1000 - 100)
    const { status, body } = await ask(url)
    expect([status, body]).toEqual([403, { error: 'link_expired' }])
    const later = new URL(url)
    later.searchParams.set('exp', String(exp + 600))
    expect((await ask(later.href)).body).toEqual({ error: 'link_invalid' })
    const again = expectBody(await owner.get(`/api/v2/location/${id}/files/${file.id}/download`), 200)
    expect((await ask(again.url)).status).toBe(200)
  } finally {
    await brief.stop()
  }
})
