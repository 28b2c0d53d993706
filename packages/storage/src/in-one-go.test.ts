import { createServer, request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { InOneGo } from './in-one-go'

const pieces = Array.from({ length: 16 }, (_, n) => Buffer.alloc(4_096, `${n % 10}`))
const whole = Buffer.concat(pieces)

describe('a body that is in memory', () => {
  it('is read as any other', async () => {
    expect(await buffer(new InOneGo(pieces))).toEqual(whole)
    expect(await buffer(new InOneGo([]))).toEqual(Buffer.alloc(0))
  })

  it('is sent with its request in one go', async () => {
    const server = createServer(async (incoming, response) => {
      response.end(await buffer(incoming))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      const headers = { 'content-length': whole.length }
      const sent = request({ port, method: 'PUT', headers, agent: false })
      const writes: unknown[] = []
      sent.once('socket', (socket: Socket) => {
        const { _writev: writev } = socket
        socket._writev = (chunks, done) => {
          writes.push(chunks)
          writev?.call(socket, chunks, done)
        }
      })
      const answer = new Promise<Buffer>((resolve, reject) => {
        sent.once('response', (response) => resolve(buffer(response))).once('error', reject)
      })
      new InOneGo(pieces).pipe(sent)
      expect(await answer).toEqual(whole)
      expect(writes).toHaveLength(1)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
