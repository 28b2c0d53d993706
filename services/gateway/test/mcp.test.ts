import { categories } from '@worlds/domain/registry'
import { api } from '@worlds/testkit/api'
import { addMember, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { call, closeClients, codeOf, connect as connectTo } from './mcp-support'
import { type Body, newOwner, type Owner } from './support'

let system: System
let own: Owner
beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())
afterEach(closeClients)

const connect = (headers: Record<string, string>) => connectTo(system, headers)

describe('the tools', () => {
  it('[AG-014][AG-017] are these thirteen, and none deletes, hides or touches files', async () => {
    const client = await connect({})
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      ...[
        'list_element_types',
        'get_element_schema',
        'search_schema',
        'list_elements',
        'get_element',
        'search_elements',
      ],
      ...['get_changes', 'list_files', 'read_file', 'create_element', 'update_element', 'edit_links', 'bulk_apply'],
    ])
    for (const { name, title, description, annotations, inputSchema, outputSchema } of tools) {
      const isWrite = /^(create|update|edit|bulk)_/.test(name)
      expect(annotations).toMatchObject({ title, readOnlyHint: !isWrite, openWorldHint: false })
      // A file's content is sent once, as text: its tool has no structure to describe.
      const output = name === 'read_file' ? undefined : 'object'
      expect([typeof description, inputSchema.type, outputSchema?.type]).toEqual(['string', 'object', output])
    }
  })

  it('tell what elements are made of, without a key', async () => {
    const client = await connect({ 'API-Key': 'ow_w_nonsense' })
    const { types } = await call(client, 'list_element_types')
    expect(types.map(({ type }: Body) => type)).toEqual([...categories.keys()])
    const schema = await call(client, 'get_element_schema', { type: 'location' })
    expect(schema.fields.map(({ name }: Body) => name)).toEqual(
      categories.get('location')?.fields.map(({ name }) => name),
    )
    expect(schema.typing.Biome).toContain('Forest')
    const { fields } = await call(client, 'search_schema', { q: 'BIRTHPLACE' })
    expect(fields).toEqual([expect.objectContaining({ type: 'character', name: 'birthplace', target: 'location' })])
    await client.ping()
  })

  it('read and write as the owner', async () => {
    const client = await connect({ ...own.headers })
    const made = await call(client, 'create_element', {
      type: 'character',
      element: { name: 'Tool', level: '3', x_a: 1e2 },
    })
    expect(made).toEqual(await own.read('character', made.id))
    expect(await call(client, 'get_element', { type: 'character', id: made.id })).toEqual(made)
    const friend = await own.make('character', { name: 'Friend' })
    const changed = await call(client, 'update_element', {
      type: 'character',
      id: made.id,
      element: { description: 'New' },
    })
    expect(changed).toMatchObject({ name: 'Tool', level: 3, description: 'New', x_a: 100 })
    const links = { type: 'character', id: made.id, field: 'friends' }
    expect((await call(client, 'edit_links', { ...links, add: [friend.id] })).friends).toEqual([friend.id])
    expect((await call(client, 'edit_links', { ...links, remove: [friend.id] })).friends).toEqual([])
    expect((await call(client, 'list_elements', { type: 'character', name: 'Tool' })).data).toHaveLength(1)
    expect((await call(client, 'list_elements', { type: 'character', limit: 1 })).has_more).toBe(true)
    expect((await call(client, 'search_elements', { q: 'tool' })).data[0]).toMatchObject({ id: made.id })
    const items = [
      { type: 'zone', element: { name: 'Z' } },
      { type: 'zone', element: { nothing: 1 } },
    ]
    const bulk = await call(client, 'bulk_apply', { items })
    expect(bulk).toMatchObject({ errors: true, items: [{ status: 201 }, { error: { code: 'invalid_request' } }] })
    const changes = await call(client, 'get_changes')
    expect(changes.changes.length).toBeGreaterThan(0)
    expect((await call(client, 'get_changes', { since: changes.cursor })).changes).toEqual([])
  })

  it('store extension fields as they are written', async () => {
    const world = await newOwner(system)
    const sent = '{"name":"Raw","x_n":12345678901234567890,"x_e":1e400}'
    const post = async (name: string, args: string) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
      const headers = {
        ...world.headers,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      }
      const reply = await fetch(`${system.gateway}/mcp`, { method: 'POST', headers, body: text })
      return JSON.parse(((await reply.json()) as Body).result.content[0].text) as Body
    }
    const made = await post('create_element', `{"type":"law","element":${sent}}`)
    await post('update_element', `{"type":"law","id":"${made.id}","element":{"x_z":-0}}`)
    const bulk = await post('bulk_apply', `{"items":[{"type":"law","element":${sent}}],"atomic":true}`)
    for (const id of [made.id, bulk.items[0].id]) {
      const { text } = await world.get(`/api/v2/law/${id}`)
      expect(text).toContain('"x_n":12345678901234567890')
      expect(text).toContain('"x_e":1e400')
    }
    expect((await world.get(`/api/v2/law/${made.id}`)).text).toContain('"x_z":-0')
  })

  it('page changes by twenty-five', async () => {
    const world = await newOwner(system)
    await world.seed(
      'law',
      Array.from({ length: 30 }, (_, index) => ({ name: `L${index}` })),
    )
    const client = await connect({ ...world.headers })
    const first = await call(client, 'get_changes')
    expect([first.changes.length, first.has_more]).toEqual([25, true])
    expect((await call(client, 'get_changes', { since: first.cursor })).changes).toHaveLength(5)
    expect((await call(client, 'get_changes', { limit: 1000 })).changes).toHaveLength(30)
  })

  it('refuse in band, with the code of the same request by HTTP and a hint', async () => {
    const client = await connect({ ...own.headers })
    const { id } = await own.make('character')
    const absent = '01980000-0000-7000-8000-00000000ab5e'
    const result: Body = await client.callTool({ name: 'get_element', arguments: { type: 'law', id: absent } })
    expect(result.structuredContent).toEqual((await own.get(`/api/v2/law/${absent}`)).body)
    expect(result.content[1].text).toMatch(/search_elements/)
    const cases: [string, Body, string][] = [
      ['get_element', { type: 'law', id: 'x' }, 'invalid_request'],
      ['create_element', { type: 'character', element: { name: 'A', foo: 1 } }, 'invalid_request'],
      ['create_element', { type: 'character', element: { name: 'A', friends: [absent] } }, 'invalid_link'],
      ['create_element', { type: 'zone', element: { name: 'A', id } }, 'id_conflict'],
      ['edit_links', { type: 'character', id, field: 'location', add: [] }, 'invalid_request'],
      ['get_changes', { since: 'x' }, 'invalid_request'],
      ['list_elements', { type: 'character', cursor: 'x' }, 'invalid_request'],
    ]
    for (const [name, args, code] of cases) expect([name, await codeOf(client, name, args)]).toEqual([name, code])
    const keyless = await connect({})
    expect(await codeOf(keyless, 'list_elements', { type: 'law' })).toBe('invalid_credentials')
    const withoutPin = await connect({ 'API-Key': own.key })
    expect((await call(withoutPin, 'list_elements', { type: 'law' })).data).toEqual([])
    expect(await codeOf(withoutPin, 'create_element', { type: 'law', element: { name: 'A' } })).toBe(
      'invalid_credentials',
    )
    for (const args of [
      { type: 'nothing', id },
      { type: 'law' },
      { type: 'law', id, as: 'public' },
      { id: 5, type: 'law' },
    ]) {
      await expect(client.callTool({ name: 'get_element', arguments: args })).rejects.toMatchObject({ code: -32602 })
    }
    await expect(client.callTool({ name: 'delete_element', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  it('show a guest and a seat what they see, and let them write what they may', async () => {
    const world = await newOwner(system)
    const guest = await addMember(system, world, 'guest')
    const seat = await addSeat(system, world)
    const [shown, hidden] = await world.seed('law', [{ name: 'Shown' }, { name: 'Hidden' }])
    await world.put(`/api/v2/law/${hidden}/hidden`)
    const asGuest = await connect({ ...guest.headers })
    const asSeat = await connect({ ...seat.headers })
    expect((await call(asSeat, 'list_elements', { type: 'law' })).data.map(({ id }: Body) => id)).toEqual([shown])
    expect((await call(asGuest, 'list_elements', { type: 'law' })).data).toEqual([])
    expect(await codeOf(asSeat, 'get_element', { type: 'law', id: hidden })).toBe('not_found')
    expect(await codeOf(asSeat, 'update_element', { type: 'law', id: shown, element: { name: 'Mine' } })).toBe(
      'not_author',
    )
    const mine = await call(asSeat, 'create_element', { type: 'law', element: { name: 'By the seat' } })
    expect(mine.created_by).toBe(seat.membership)
    expect((await call(asGuest, 'create_element', { type: 'law', element: { name: 'By the guest' } })).name).toBe(
      'By the guest',
    )
    expect((await call(asSeat, 'search_elements', { q: 'hidden' })).data).toEqual([])
  })
})

describe('the route', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const accept = { Accept: 'application/json, text/event-stream' }

  it('takes POST alone, with and without the slash', async () => {
    const bare = api(system.gateway, accept)
    for (const path of ['/mcp', '/mcp/']) {
      expect((await bare.post(path, ping)).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
      for (const reply of [await bare.get(path), await bare.delete(path)]) {
        expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST'])
      }
    }
    const notified = await bare.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([notified.status, notified.text]).toEqual([202, ''])
    expect((await bare.post('/mcp', ping, { 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400)
    expect((await bare.post('/mcp', '{')).status).toBe(400)
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    for (const batch of [[], [ping], [ping, cancelled]]) {
      const refused = await bare.post('/mcp', batch)
      expect([refused.status, refused.body.error.code]).toEqual([400, -32600])
    }
    // Some readers of JSON pass over a mark of the order of bytes, and some do not.
    const marked = await bare.post('/mcp', `\uFEFF${JSON.stringify([ping, cancelled])}`)
    expect([marked.status, marked.body.error.code]).toEqual([400, -32700])
    expect((await bare.post('/mcp', 'x'.repeat(2_621_441))).body.error.code).toBe('payload_too_large')
  })

  it('refuses foreign origins, and tells browsers of others its headers', async () => {
    const bare = api(system.gateway, accept)
    const foreign = await bare.post('/mcp', ping, { Origin: 'https://evil.example' })
    expect([foreign.status, foreign.body.error.code]).toEqual([403, 'permission_error'])
    const origin = { Origin: 'https://someone.github.io' }
    expect((await bare.post('/mcp', ping, origin)).status).toBe(200)
    const preflight = await fetch(`${system.gateway}/mcp`, { method: 'OPTIONS', headers: origin })
    const headers = preflight.headers.get('access-control-allow-headers') ?? ''
    expect([preflight.status, headers]).toEqual([
      204,
      expect.stringContaining('MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID'),
    ])
    const other = await fetch(`${system.gateway}/api/v2/me`, { method: 'OPTIONS', headers: origin })
    expect(other.headers.get('access-control-allow-headers')).not.toContain('Mcp-Session-Id')
  })

  it('counts each call against the budget of its key', async () => {
    const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_changes', arguments: {} } }
    const reply = await api(system.gateway, { ...accept, ...own.headers }).post('/mcp', tool)
    expect(Number(reply.headers.get('ratelimit-remaining'))).toBeGreaterThan(0)
  })
})
