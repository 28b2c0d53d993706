import { makeTicketKeys } from '@worlds/testkit/ticket-keys'
import {
  type FileTicket,
  type RemovalTicket,
  readPublicKeys,
  readSigningKey,
  signTicket,
  TicketReader,
} from './tickets'

const own = makeTicketKeys('t1')
const next = makeTicketKeys('t2')
const soon = () => Math.ceil(Date.now() / 1000) + 60

const file = (exp = soon()): FileTicket => ({
  for: 'file',
  id: '0190c2a0-0000-7000-8000-000000000001',
  worldId: '0190c2a0-0000-7000-8000-000000000002',
  kind: 'txt',
  key: 'w/a/b/c.txt',
  maxBytes: 10,
  room: 'world:a',
  roomBytes: 100,
  exp,
})

const removal = (): RemovalTicket => ({
  for: 'removal',
  id: 'i',
  worldId: 'w',
  key: 'u/w/a.png',
  bytes: 5,
  exp: soon(),
})

function sign(ticket: FileTicket | RemovalTicket, keys = own): Promise<string> {
  const key = readSigningKey(keys.signingKey)
  if (key === null) throw new Error('no key')
  return signTicket(key, ticket)
}

describe('tickets', () => {
  const reader = new TicketReader(readPublicKeys([own.publicKey]))

  it('are read as they were signed', async () => {
    const [ticket, other] = [file(), removal()]
    expect(await reader.upload(await sign(ticket))).toEqual({ ticket })
    expect(await reader.removal(await sign(other))).toEqual({ ticket: other })
  })

  it('are for one purpose', async () => {
    expect(await reader.removal(await sign(file()))).toEqual({ fault: 'invalid' })
    expect(await reader.upload(await sign(removal()))).toEqual({ fault: 'invalid' })
  })

  it('end', async () => {
    expect(await reader.upload(await sign(file(Math.floor(Date.now() / 1000))))).toEqual({ fault: 'expired' })
  })

  it('are refused when anything about them is another', async () => {
    const [header = '', payload = '', signature = ''] = (await sign(file())).split('.')
    const more = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...more, maxBytes: 1_000 })).toString('base64url')
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const late = Buffer.from(JSON.stringify({ ...more, exp: 1 })).toString('base64url')
    for (const text of [
      `${header}.${forged}.${signature}`,
      `${header}.${late}.${signature}`,
      `${none}.${payload}.`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      'nonsense',
      '',
    ]) {
      expect(await reader.upload(text)).toEqual({ fault: 'invalid' })
    }
  })

  it('are honoured by every key that is known, so that keys are replaced without a stop', async () => {
    const old = await sign(file())
    const both = new TicketReader(readPublicKeys([own.publicKey, next.publicKey]))
    expect(await both.upload(old)).toHaveProperty('ticket')
    expect(await both.upload(await sign(file(), next))).toHaveProperty('ticket')
    expect(await reader.upload(await sign(file(), next))).toEqual({ fault: 'invalid' })
    const later = new TicketReader(readPublicKeys([next.publicKey]))
    expect(await later.upload(old)).toEqual({ fault: 'invalid' })
  })
})
