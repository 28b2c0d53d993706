import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transformSync } from '@swc/core'
import { errorCodes } from '@worlds/domain/errors'
import { categories } from '@worlds/domain/registry'
import { routes } from '@worlds/gateway/routes/table'
import { type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, expectRefusal, newOwner } from './support'

const run = promisify(execFile)
const root = '/api/v2'

describe('the docs', () => {
  let system: System
  let folder: string
  const get = (path: string, headers?: Record<string, string>): Promise<ApiReply> =>
    api(system.gateway).get(path, headers)
  beforeAll(async () => {
    system = await startSystem()
    folder = await mkdtemp(join(tmpdir(), 'worlds-docs-'))
  })
  afterAll(async () => {
    await system?.stop()
    await rm(folder, { recursive: true })
  })

  it('[VR-006] are a page, with a slash at the end or without, that asks nobody else for anything', async () => {
    const page = await get(`${root}/docs`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await get(`${root}/docs/`)).text).toBe(page.text)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy.match(/[a-z-]+-src [^;]+/g)?.filter((one) => !/-src '(self|none)'$/.test(one))).toEqual([])
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !link.startsWith('#') && !link.startsWith('/api/v2/'))).toEqual([])
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/)
    for (const link of links.filter((link) => link.startsWith('/'))) expect((await get(link)).status).toBe(200)
    const { text: styles } = await get(`${root}/docs/assets/swagger-ui.css`)
    const images = [...styles.matchAll(/url\("?([^")]+)/g)].map(([, name]) => name)
    expect(images.length).toBeGreaterThan(0)
    for (const name of images) expect((await get(`${root}/docs/assets/${name}`)).status).toBe(200)
  })

  it('[VR-007] and a document that names every route of the dialect', async () => {
    const document = expectBody(await get(`${root}/openapi.json`), 200)
    expect(document.openapi).toMatch(/^3\.1\./)
    expect((await get(`${root}/openapi.json/`)).body).toEqual(document)
    const named = Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path.replace(/\{\w+\}/g, '*')}`),
    )
    const known = routes
      .filter(({ path }) => path.startsWith(`${root}/`))
      .flatMap(({ method, path }) =>
        path.includes(':type')
          ? [...categories.values()]
              .filter(
                ({ links }) => !path.endsWith(':field') || [...links.values()].some((one) => one.kind === 'multi_link'),
              )
              .map(({ slug }) => `${method} ${path.replace(':type', slug)}`)
          : [`${method} ${path}`],
      )
      .map((route) => route.replace(/:\w+/g, '*'))
    const open = ['health', 'openapi.json', 'docs'].map((name) => `get ${root}/${name}`)
    expect(named.toSorted()).toEqual([...known, ...open].toSorted())
  })

  it.each(['docs', 'openapi.json'])('%s is kept by its tag, and takes GET and HEAD alone', async (name) => {
    const path = `${root}/${name}`
    const first = await get(path, { Origin: 'https://ann.github.io' })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    expect(first.headers.get('vary')).toBe('Origin')
    expect(first.headers.get('access-control-allow-origin')).toBe('https://ann.github.io')
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'If-None-Match': sent })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200)
    const head = await fetch(`${system.gateway}${path}`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)))
    const { post, put, patch, delete: remove } = api(system.gateway)
    for (const send of [post, put, patch, remove]) expectRefusal(await send(path), 404, 'not_found')
  })

  it('have a section for every code, where its doc_url leads', async () => {
    const { text } = await get(`${root}/docs`)
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(errorCodes.filter((code) => !ids.includes(code))).toEqual([])
    const { error } = (await get(`${root}/character`)).body
    const url = new URL(error.doc_url)
    expect([url.pathname, url.hash]).toEqual([`${root}/docs`, '#invalid_credentials'])
  })

  describe('first steps', () => {
    let env: Record<string, string>
    let page: string
    const block = (id: string) => unescapeHtml(new RegExp(`id="first-steps-${id}">([^<]+)<`).exec(page)?.[1] ?? '')
    beforeEach(async () => {
      const own = await newOwner(system)
      page = (await get(`${root}/docs`)).text
      env = {
        OW_API_BASE: `${system.gateway}${root}`,
        OW_API_KEY: own.key,
        OW_API_PIN: own.pin,
        PATH: process.env.PATH ?? '',
      }
    })

    /** What every one of them does. */
    async function expectAnn() {
      const { data } = expectBody(await get(`${root}/character`, { 'API-Key': env.OW_API_KEY ?? '' }), 200)
      expect(data).toEqual([expect.objectContaining({ name: 'Ann', background: 'A miller’s daughter.', level: 3 })])
    }

    it('work with curl', async () => {
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', block('curl')], { env })
      expect(stdout).toContain('"has_more":false')
      expect(stdout).toContain('"changes":[{"op":"upsert"')
      await expectAnn()
    })

    it('work in TypeScript', async () => {
      const { code } = transformSync(block('typescript'), {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      })
      const file = join(folder, 'first-steps.mjs')
      await writeFile(file, code)
      const { stdout } = await run(process.execPath, [file], { env })
      expect(stdout).toMatch(/^1 characters\n1 changes; the next are asked for with since=[\w-]+\n$/)
      await expectAnn()
    })

    it('work in Python, where that is', async () => {
      const file = join(folder, 'first_steps.py')
      await writeFile(file, block('python'))
      const done = await run('python3', [file], { env }).catch((error) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      if (done === null) return console.log('left out: the first steps in Python, for python3 is not on the PATH')
      expect(done.stdout).toContain('1 changes; the next are asked for with since=')
      return expectAnn()
    })
  })
})

function unescapeHtml(text: string): string {
  const known: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return text.replace(/&(\w+|#39);/g, (_, name) => known[name] ?? '')
}
