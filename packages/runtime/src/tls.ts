/** Mutual TLS between services: whoever calls, and whoever is called, shows a certificate of the same authority. */
import { readFileSync } from 'node:fs'
import { type ChannelCredentials, credentials, ServerCredentials } from '@grpc/grpc-js'
import type { Environment } from './config'

export interface TlsFiles {
  readonly certificate: string
  readonly key: string
  readonly authority: string
}

/** Reads `TLS_CERT_FILE`, `TLS_KEY_FILE` and `TLS_CA_FILE`; null where none is set. */
export function readTls(env: Environment): TlsFiles | null {
  const names = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CA_FILE'] as const
  if (names.every((name) => env.text(name, ' ').trim() === '')) return null
  const [certificate, key, authority] = names.map((name) => env.text(name))
  return { certificate: certificate ?? '', key: key ?? '', authority: authority ?? '' }
}

export function serverCredentials(tls: TlsFiles | null): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure()
  const pair = { cert_chain: readFileSync(tls.certificate), private_key: readFileSync(tls.key) }
  return ServerCredentials.createSsl(readFileSync(tls.authority), [pair], true)
}

export function channelCredentials(tls: TlsFiles | null): ChannelCredentials {
  if (tls === null) return credentials.createInsecure()
  return credentials.createSsl(readFileSync(tls.authority), readFileSync(tls.key), readFileSync(tls.certificate))
}
