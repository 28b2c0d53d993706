import { Agent, request } from 'node:http'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'

/** A process that is told to stop serves on for a while, and closes each connection with a reply, never beneath a request. */
describe('a process that drains', () => {
  let system: System
  const draining = { DRAIN_MS: '60000' }
  beforeAll(async () => {
    system = await startSystem({ files: true, env: { gateway: draining, 'upload-host': draining, file: draining } })
  })
  afterAll(async () => {
    for (const name of ['gateway', 'upload-host', 'file']) await system.processes.kill(name)
    await system.stop()
  })

  it.each([
    ['gateway', () => `${system.gateway}/api/v2/health`, 200],
    ['upload-host', () => system.uploadUrl, 405],
    ['file', () => `${system.filesUrl}/u/x`, 404],
  ] as const)('%s: open connections get their reply, and end with it', async (name, url, status) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const before = await ask(agent, url())
    expect(before).toMatchObject({ status, connection: 'keep-alive' })
    process.kill(system.processes.pid(name), 'SIGTERM')
    await until(async () => (await ready(name)) === 503)
    const after = await ask(agent, url())
    expect(after).toEqual({ status, connection: 'close', port: before.port })
    agent.destroy()
  })

  const ready = async (name: string) => (await fetch(`${system.processes.metrics(name)}/readyz`)).status
})

interface Answer {
  readonly status: number | undefined
  readonly connection: string | undefined
  /** The client's own, by which connections are told apart. */
  readonly port: number | undefined
}

function ask(agent: Agent, url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      const { statusCode: status, headers, socket } = response
      const port = socket.localPort
      response.resume().on('end', () => resolve({ status, connection: headers.connection, port }))
    })
      .on('error', reject)
      .end()
  })
}
