import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { status } from '@grpc/grpc-js'
import { elementV1 } from '@worlds/proto/load'
import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { unary } from '@worlds/runtime/operation'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { createRpcServer } from '@worlds/runtime/rpc-server'
import type { TlsFiles } from '@worlds/runtime/tls'

const token = 'a-token-of-a-test-that-guards-nothing'
const scope = { log: createLog('test', 'silent'), metrics: createMetrics('test') }
const settings = { deadlineMs: 3_000, affinity: '', repeatable: false }

/** An authority, and a certificate of it for `localhost` and 127.0.0.1. */
function makeTls(dir: string, name: string): TlsFiles {
  const at = (file: string) => join(dir, `${name}-${file}`)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.crt'), '-subj', `/CN=${name}`, '-days', '1')
  openssl('req', ...key, '-keyout', at('tls.key'), '-out', at('tls.csr'), '-subj', '/CN=service')
  writeFileSync(at('ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1')
  const issuer = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1', '-extfile', at('ext')]
  openssl('x509', '-req', '-in', at('tls.csr'), '-out', at('tls.crt'), ...issuer)
  return { certificate: at('tls.crt'), key: at('tls.key'), authority: at('ca.crt') }
}

describe('calls by mutual TLS', () => {
  const dir = mkdtempSync(join(tmpdir(), 'worlds-tls-'))
  const own = makeTls(dir, 'own')
  const foreign = makeTls(dir, 'foreign')
  const server = createRpcServer(token, 60_000, own)
  let port = ''
  beforeAll(async () => {
    server.add(elementV1.Roll.service, {
      GetAuthVersions: unary(scope, 'Roll.GetAuthVersions', async () => ({ versions: { w: 7 } })),
    })
    port = (await server.listen('127.0.0.1', 0)).split(':')[1] ?? ''
  })
  afterAll(() => {
    server.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const ask = async (address: string, tls: TlsFiles | null) => {
    const peer = new RpcPeer([address], token, { tls })
    const client = new RpcClient(elementV1.Roll, peer)
    return client.unary('GetAuthVersions', { world_ids: [] }, settings).finally(() => peer.close())
  }

  it.each([
    ['an address', () => `127.0.0.1:${port}`],
    ['a name that is looked up', () => `dns:localhost:${port}`],
  ])('are answered by %s', async (_what, address) => {
    expect((await ask(address(), own)).versions).toEqual({ w: 7 })
  })

  it.each([
    ['in the clear', null],
    ['with a certificate of another authority', foreign],
    ['with a foreign certificate that trusts ours', { ...foreign, authority: own.authority }],
    ['by whoever trusts another authority', { ...own, authority: foreign.authority }],
  ])('are refused %s', async (_what, tls) => {
    await expect(ask(`127.0.0.1:${port}`, tls)).rejects.toMatchObject({ code: status.UNAVAILABLE })
  })
})
