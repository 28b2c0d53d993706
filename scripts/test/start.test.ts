import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api } from '@worlds/testkit/api'
import { runOps } from '@worlds/testkit/ops'
import { until } from '@worlds/testkit/until'

const dist = join(__dirname, '..', 'dist')

/** The two ways in that a user has, as a user takes them. */
describe('npm start and the operator’s command line', () => {
  const dir = mkdtempSync(join(tmpdir(), 'worlds-start-'))
  const data = join(dir, 'data')
  let child: ChildProcess
  let gateway: string
  beforeAll(async () => {
    child = spawn(process.execPath, [join(dist, 'start.js'), '--port', '0', '--data', data], { stdio: 'ignore' })
    await until(() => existsSync(join(data, 'addresses.json')))
    gateway = JSON.parse(readFileSync(join(data, 'addresses.json'), 'utf8')).gateway
  })
  afterAll(() => {
    child.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  })

  const ops = (...words: string[]): Promise<string> => runOps([...words, '--data', data], {})

  it('keeps secrets from other users', () => {
    for (const file of ['secrets.json', 'internal.json']) expect(statSync(join(data, file)).mode & 0o077).toBe(0)
  })

  it('has a demo world with a read-only key', async () => {
    const demo = api(gateway, { 'API-Key': '0000000000' })
    expect((await demo.get('/api/v2/world')).body.name).toBe('Demo')
    expect((await demo.get('/api/v2/character')).body.data.length).toBeGreaterThan(0)
    const refused = await demo.post('/api/v2/character', { name: 'x' })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'permission_error'])
  })

  it('makes an account and a world, fills it, and copies it by export and import', async () => {
    const { account, token } = JSON.parse(await ops('account', 'create', '--email', 'a@example.org', '--pin', '1234'))
    const world = JSON.parse(await ops('world', 'create', '--account', account.id, '--name', 'Sample'))
    expect(
      (await api(gateway, { Authorization: `Bearer ${token}` }).get('/api/v2/account/worlds')).body.data,
    ).toHaveLength(1)
    expect(JSON.parse(await ops('world', 'sample', '--world', world.id, '--count', '300'))).toMatchObject({
      items: 300,
      created: 300,
      failed: 0,
    })
    const exported = await ops('world', 'export', '--world', world.id)
    const records = exported
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(new Set(records.map(({ type }) => type)).size).toBe(22)

    const reader = api(gateway, { 'API-Key': world.key, 'API-Pin': '1234' })
    for (const { type, id } of records.slice(0, 20))
      expect((await reader.delete(`/api/v2/${type}/${id}`)).status).toBe(204)
    writeFileSync(join(dir, 'world.ndjson'), exported)
    const back = JSON.parse(await ops('world', 'import', '--world', world.id, '--file', join(dir, 'world.ndjson')))
    expect(back).toMatchObject({ items: 300, created: 20, replaced: 280, failed: 0 })
    const again = (await ops('world', 'export', '--world', world.id))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const live = new Map(again.filter(({ op }) => op === 'upsert').map(({ id, element }) => [id, content(element)]))
    expect(live.size).toBe(300)
    for (const { id, element } of records) expect(live.get(id)).toEqual(content(element))

    const copy = JSON.parse(await ops('world', 'create', '--account', account.id, '--name', 'Copy'))
    const file = join(dir, 'world.ndjson')
    const copied = JSON.parse(await ops('world', 'import', '--new-ids', '--world', copy.id, '--file', file))
    expect(copied).toMatchObject({ items: 300, created: 300, failed: 0 })
    const copies = (await ops('world', 'export', '--world', copy.id)).trim().split('\n')
    expect(copies).toHaveLength(300)
    // No id of the first world is in the second, and as much is linked in both.
    for (const { id } of records) expect(copies.join()).not.toContain(id)
    expect(linksIn(copies.join())).toBe(linksIn(exported))
  })

  it('imports a 10-digit key', async () => {
    const { account } = JSON.parse(await ops('account', 'create', '--email', 'b@example.org'))
    const world = JSON.parse(await ops('world', 'create', '--account', account.id, '--name', 'Old'))
    await ops('world', 'legacy-key', '--world', world.id, '--key', '1234567890')
    const old = api(gateway, { 'API-Key': '1234567890' })
    expect((await old.get('/api/v2/me')).body.world).toEqual({ id: world.id, name: 'Old' })
    expect((await old.post('/api/v2/location', { name: 'x' })).status).toBe(201)
  })

  it('says what is wrong on standard error and exits 1', async () => {
    const failed = await ops('world', 'create', '--account', 'nobody', '--name', 'x').catch((error) => error)
    expect([failed.code, failed.stdout]).toEqual([1, ''])
    expect(failed.stderr).not.toBe('')
  })

  it('stops everything when it is told to, and keeps its data for the next time', async () => {
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(existsSync(join(data, 'addresses.json'))).toBe(false)
    await expect(fetch(gateway)).rejects.toThrow()
    child = spawn(process.execPath, [join(dist, 'start.js'), '--port', '0', '--data', data], { stdio: 'ignore' })
    await until(() => existsSync(join(data, 'addresses.json')))
    gateway = JSON.parse(readFileSync(join(data, 'addresses.json'), 'utf8')).gateway
    const old = await api(gateway, { 'API-Key': '1234567890' }).get('/api/v2/location')
    expect(old.body.data.map(({ name }: { name: string }) => name)).toEqual(['x'])
    const over = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await over).toBe(0)
  })
})

/** What an import brings back: all but what the server sets anew. */
function content({ created_at, updated_at, change_seq, ...rest }: Record<string, unknown>) {
  return rest
}

/** How many ids a text names. */
function linksIn(text: string): number {
  return text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)?.length ?? 0
}
