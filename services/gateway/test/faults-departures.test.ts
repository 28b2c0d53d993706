import { connect, type Socket } from 'node:net'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { newWorld, type World } from '@worlds/testkit/world'

const slots = 4

describe('clients that leave, stall or never read', () => {
  let system: System
  let world: World
  let owner: Api
  beforeAll(async () => {
    const gateway = {
      REQUEST_SLOTS: String(slots),
      REQUEST_SLOT_WAIT_MS: '2000',
      REQUEST_TIMEOUT_MS: '1500',
      HEADERS_TIMEOUT_MS: '1000',
      REQUEST_BUDGET: '1000000',
      SLOW_CLIENT_MS: '1000',
      SLOW_CLIENT_BYTES_PER_S: '1000000',
    }
    system = await startSystem({ env: { gateway } })
    world = await newWorld(system)
    owner = api(system.gateway, { ...world.headers })
  })
  afterAll(() => system.stop())

  it('[LM-003] clients that reset their connection at any moment leave no slot taken', async () => {
    for (let round = 0; round < 60; round += 1) {
      const socket = await open({ allowHalfOpen: false })
      socket.write(`${head('POST', 100)}{"na`)
      await pause((round % 6) * 0.5)
      socket.resetAndDestroy()
    }
    await until(async () => (await inUse()) === 0)
    expect((await owner.get('/api/v2/world')).status).toBe(200)
  })

  it('[LM-003] a client that sends no more and never closes is told 408 and holds nothing then', async () => {
    const socket = await open({ allowHalfOpen: true })
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.write(`${head('POST', 100)}{"na`)
    await until(() => answer.startsWith('HTTP/1.1 408'))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.code).toBe('request_timeout')
    await until(async () => (await inUse()) === 0)
    socket.destroy()
  })

  it('[LM-009] clients that read nothing of large replies hold no slot, and are disconnected', async () => {
    const description = 'x'.repeat(2_400_000)
    for (let n = 0; n < 4; n += 1)
      expect((await owner.post('/api/v2/event', { name: 'large', description })).status).toBe(201)
    const sockets = await Promise.all(Array.from({ length: slots * 2 }, () => open({ allowHalfOpen: false })))
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const socket of sockets) {
      socket.pause()
      socket.write(head('GET', 0, '/api/v2/event'))
    }
    // Their replies have begun, and nobody takes them.
    await until(() => sockets.every(({ bytesRead }) => bytesRead > 0))
    await until(async () => (await inUse()) === 0)
    expect((await owner.get('/api/v2/world')).status).toBe(200)
    // What a socket is told of its end stands behind the bytes that it has not read.
    await until(async () => (await connections()) <= 2)
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
    expect((await owner.get('/api/v2/event?limit=1')).status).toBe(200)
  })

  it('[LM-009] clients that send their bodies slowly hold no slot', async () => {
    const sockets = await Promise.all(Array.from({ length: slots * 4 }, () => open({ allowHalfOpen: false })))
    for (const socket of sockets) socket.write(`${head('POST', 100)}{"na`)
    // Were slots held, these would wait for one in vain.
    for (let round = 0; round < 10; round += 1) expect((await owner.get('/api/v2/world')).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  it('[LM-004] a body over the limit is told so, however it is sent', async () => {
    for (let round = 0; round < 10; round += 1) {
      const known = await owner.post('/api/v2/character', 'x'.repeat(3_000_000))
      expect([known.status, known.body.error.code]).toEqual([413, 'payload_too_large'])
      const chunked = await fetch(`${system.gateway}/api/v2/character`, {
        method: 'POST',
        headers: world.headers,
        body: new Blob(['y'.repeat(5_000_000)]).stream(),
        duplex: 'half',
      } as RequestInit)
      expect(chunked.status).toBe(413)
    }
  })

  it('answers a request that is whole before it closes over what follows', async () => {
    const socket = await open({ allowHalfOpen: false })
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const body = '{"name":"whole"}'
    socket.write(`${head('POST', body.length)}${body}not HTTP at all\r\n\r\n`)
    await until(() => answer.startsWith('HTTP/1.1 201'))
    await closed
  })

  it('tells whoever expects the unheard of in the envelope', async () => {
    const socket = await open({ allowHalfOpen: false })
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.write(head('POST', 2).replace('\r\n\r\n', '\r\nExpect: a miracle\r\n\r\n'))
    await until(() => answer.includes('\r\n\r\n{'))
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.type).toBe('invalid_request')
    socket.destroy()
  })

  it('closes busy connections when it is told to stop', async () => {
    let stopping = false
    const clients = Array.from({ length: 3 }, async () => {
      while (!stopping) await owner.get('/api/v2/world').catch(() => undefined)
    })
    await until(async () => (await owner.get('/api/v2/world')).status === 200)
    const started = Date.now()
    await system.processes.kill('gateway', 'SIGTERM')
    expect(Date.now() - started).toBeLessThan(5_000)
    expect(system.processes.exitCode('gateway')).toBe(0)
    stopping = true
    await Promise.all(clients)
    await system.processes.restart('gateway')
  })

  function head(method: string, length: number, path = '/api/v2/character'): string {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: here', `API-Key: ${world.key}`, `API-Pin: ${world.pin}`]
    return `${[...lines, `Content-Length: ${length}`].join('\r\n')}\r\n\r\n`
  }

  async function open(options: { allowHalfOpen: boolean }): Promise<Socket> {
    const { hostname, port } = new URL(system.gateway)
    const socket = connect({ host: hostname, port: Number(port), ...options })
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    return socket
  }

  function inUse(): Promise<number> {
    return gauge('request_slots_in_use')
  }

  function connections(): Promise<number> {
    return gauge('http_server_connections')
  }

  async function gauge(name: string): Promise<number> {
    const text = await (await fetch(`${system.processes.metrics('gateway')}/metrics`)).text()
    return Number(new RegExp(`${name}\\{[^}]*\\} (\\d+)`).exec(text)?.[1])
  }
})

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
