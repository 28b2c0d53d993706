import { generateKeyPairSync } from 'node:crypto'

/** As `TICKET_SIGNING_KEY` and `TICKET_PUBLIC_KEYS` take them. */
export interface TicketKeys {
  readonly signingKey: string
  readonly publicKey: string
}

export function makeTicketKeys(id = 't1'): TicketKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signing = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  return {
    signingKey: `${id}:${signing}`,
    publicKey: `${id}:${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
  }
}
