import { createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export interface Received {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A mail server that keeps what it is sent, or answers a recipient as the test says. */
export class SmtpSink {
  readonly received: Received[] = []
  /** Answer to the next `RCPT TO` of an address, as `451 later`; an empty one is silence. */
  readonly answers = new Map<string, string>()
  readonly #sockets = new Set<Socket>()
  readonly #server: Server = createServer((socket) => this.#serve(socket))

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the sink does not listen')
    return `smtp://127.0.0.1:${address.port}`
  }

  mailTo(address: string): Received | undefined {
    return this.received.find(({ to }) => to === address)
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => socket.destroy())
    const say = (line: string) => socket.write(`${line}\r\n`)
    let from = ''
    let to = ''
    let data: string[] | undefined
    say('220 sink')
    createInterface({ input: socket }).on('line', (line) => {
      if (data !== undefined && line !== '.') {
        data.push(line.startsWith('.') ? line.slice(1) : line)
      } else if (data !== undefined) {
        this.received.push({ from, to, ...partsOf(data) })
        data = undefined
        say('250 kept')
      } else if (/^MAIL FROM/i.test(line)) {
        from = addressOf(line)
        say('250 ok')
      } else if (/^RCPT TO/i.test(line)) {
        to = addressOf(line)
        const answer = this.answers.get(to) ?? '250 ok'
        this.answers.delete(to)
        if (answer !== '') say(answer)
      } else if (/^DATA/i.test(line)) {
        data = []
        say('354 go on')
      } else {
        say(/^QUIT/i.test(line) ? '221 bye' : '250 ok')
      }
    })
  }
}

function addressOf(line: string): string {
  return line.slice(line.indexOf('<') + 1, line.lastIndexOf('>'))
}

function partsOf(lines: readonly string[]): Pick<Received, 'subject' | 'text'> {
  const blank = lines.indexOf('')
  const headers = lines.slice(0, blank)
  const body = lines.slice(blank + 1).join('\n')
  const isQuoted = headers.some((line) => /^content-transfer-encoding: quoted-printable/i.test(line))
  const subject = headers.find((line) => /^subject: /i.test(line))?.slice(9) ?? ''
  return { subject, text: isQuoted ? unquote(body) : body }
}

function unquote(text: string): string {
  return text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
