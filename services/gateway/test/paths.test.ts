import { request } from 'node:http'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, newOwner, type Owner } from './support'

/** Forms of a path that nobody writes on purpose, each with its one answer on every prefix. */
let system: System
let own: Owner
let id: string
beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  id = (await own.make('character')).id
})
afterAll(() => system.stop())

/** By the bare client: fetch would tidy the path up. */
function send(method: string, path: string): Promise<{ status: number; headers: Body; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(system.gateway)
    const sent = request({
      hostname,
      port,
      method,
      path,
      headers: { ...own.headers, 'Content-Type': 'application/json' },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.end()
  })
}

const statusOf = async (method: string, path: string) => [method, path, (await send(method, path)).status]

describe('paths', () => {
  it('[VR-004] are answered with and without a slash at their end', async () => {
    const paths = [
      'character',
      `character/${id}`,
      'changes',
      'world',
      'me',
      'members',
      'search?q=a',
      'docs',
      'openapi.json',
      'health',
    ]
    for (const path of paths) {
      const [bare = '', query = ''] = path.split('?')
      const search = query === '' ? '' : `?${query}`
      const without = await send('GET', `/api/v2/${bare}${search}`)
      const withSlash = await send('GET', `/api/v2/${bare}/${search}`)
      expect([path, without.status, withSlash.status]).toEqual([path, 200, 200])
      expect(withSlash.text === without.text).toBe(true)
    }
    for (const path of [
      '/api/worldapi/character',
      '/api/worldapi/world',
      '/api/worldapi/typing/Law',
      '/api/metadata/law',
      '/api/metadata/law/sections',
    ]) {
      expect((await send('GET', path)).text).toBe((await send('GET', `${path}/`)).text)
      expect(await statusOf('GET', path)).toEqual(['GET', path, 200])
    }
  })

  it('[VR-003] are those of the API below its prefix alone', async () => {
    for (const path of ['/v2/world', '/world', '/api/world', '/api/v1/world', '/api/v2', '/api/v2/', '/api', '/']) {
      const { status, text } = await send('GET', path)
      expect([path, status, JSON.parse(text).error?.code]).toEqual([path, 404, 'not_found'])
    }
  })

  it('[CF-057] take no address to push to: changes are asked for', async () => {
    for (const path of [
      'webhooks',
      'webhook',
      'changes/subscribe',
      'changes/webhooks',
      'account/webhooks',
      'world/webhooks',
    ]) {
      expect(await statusOf('POST', `/api/v2/${path}`)).toEqual(['POST', `/api/v2/${path}`, 404])
    }
    const { openapi, webhooks } = JSON.parse((await send('GET', '/api/v2/openapi.json')).text)
    expect([typeof openapi, webhooks]).toEqual(['string', undefined])
  })

  it('are answered to HEAD as to GET, without the body', async () => {
    const paths = [
      '/api/v2/world',
      `/api/v2/character/${id}`,
      `/api/worldapi/character/${id}/`,
      '/api/worldapi/character/',
      '/api/metadata/law/',
      '/api/v2/search?q=a',
      '/api/v2/docs',
      '/api/v2/openapi.json',
    ]
    for (const path of paths) {
      const [head, get] = [await send('HEAD', path), await send('GET', path)]
      expect([path, head.status, head.text]).toEqual([path, get.status, ''])
      expect(head.headers['content-length']).toBe(get.headers['content-length'])
    }
    expect((await send('HEAD', `/api/worldapi/character/${id}`)).status).toBe(301)
    expect((await send('HEAD', '/mcp')).status).toBe(405)
  })

  it('are answered to OPTIONS with 204, whatever they are', async () => {
    for (const path of [
      '/api/v2/world',
      `/api/worldapi/character/${id}`,
      '/api/metadata/law/',
      '/mcp',
      '/nothing',
      '/api/v2/../x',
    ]) {
      expect(await statusOf('OPTIONS', path)).toEqual(['OPTIONS', path, 204])
    }
  })

  it.each([
    ['POST', () => `/api/v2/character/${id}`],
    ['PUT', () => '/api/v2/character'],
    ['DELETE', () => '/api/v2/world'],
    ['POST', () => '/api/v2/search?q=a'],
    ['POST', () => '/api/v2/docs'],
    ['DELETE', () => '/api/v2/openapi.json'],
    ['PUT', () => '/api/worldapi/character/'],
    ['POST', () => `/api/worldapi/character/${id}/`],
    ['DELETE', () => '/api/worldapi/world/'],
    ['POST', () => '/api/metadata/law/'],
    ['TRACE', () => '/api/v2/world'],
    ['PROPFIND', () => '/api/worldapi/world/'],
  ])('are unmatched by another method: %s %#', async (method, path) => {
    const { status, text } = await send(method, path())
    expect([status, JSON.parse(text).error.code]).toEqual([404, 'not_found'])
  })

  it('are taken as they are: no slash is decoded, doubled or left out, no case changed, nothing climbed', async () => {
    const unmatched = [
      ...['/api/v2//world', '//api/v2/world', '/api//v2/world', '/api/v2/world//', `/api/v2/character//${id}`],
      ...['/api/v2/character%2F', '/api%2Fv2/world', '/api/v2/Character', '/api/v2/WORLD', '/API/v2/world'],
      ...['/api/v2/../v2/world', '/api/v2/./world', '/api/v2/character/../world', '/api/v2/%2e%2e/v2/world'],
      ...[
        '/api/worldapi//character/',
        '/api/worldapi/Character/',
        '/api/worldapi/character//',
        '/api/worldapi/../v2/world',
      ],
      ...[`/api/worldapi/character/${id}//`, `/api/worldapi/CHARACTER/${id}/`, '/api/worldapi/typing//Law/'],
      ...['/api/metadata//law/', '/api/metadata/law//', '/api/metadata/../v2/world', '/mcp//', '/MCP', '/mcp/x'],
    ]
    for (const path of unmatched) {
      const { status, text } = await send('GET', path)
      expect([path, status, JSON.parse(text).error?.code]).toEqual([path, 404, 'not_found'])
    }
    const malformed = [
      '/api/v2/character/%2F',
      '/api/v2/character/..%2F',
      `/api/v2/character/${id}%2F`,
      '/api/worldapi/character/%2F/',
    ]
    for (const path of malformed) expect(await statusOf('GET', path)).toEqual(['GET', path, 422])
    expect(await statusOf('GET', `/api/v2/character/${id.toUpperCase()}`)).toMatchObject({ 2: 200 })
    expect(await statusOf('GET', `/api/worldapi/character/${id.toUpperCase()}/`)).toMatchObject({ 2: 200 })
    for (const path of ['/api/v2/character/%', '/api/v2/%ff', '/api/worldapi/%zz/', '/api/metadata/%/']) {
      expect(await statusOf('GET', path)).toEqual(['GET', path, 404])
    }
  })
})
