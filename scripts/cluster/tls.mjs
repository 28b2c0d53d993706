/** An authority and one certificate, for the names by which services call each other. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.mjs'
import { release, services } from './settings.mjs'

export async function makeCertificates() {
  const dir = await mkdtemp(join(tmpdir(), 'worlds-tls-'))
  const openssl = (...args) => run('openssl', args, { cwd: dir })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const called = Object.keys(services).filter((service) => services[service].isGrpc)
  const names = called.map((service) => `DNS:${release}-${service}`).join(',')
  try {
    await openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '2',
      '-subj',
      '/CN=cluster test',
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
    )
    await openssl('req', ...key, '-subj', '/CN=services', '-keyout', 'tls.key', '-out', 'tls.csr')
    await writeFile(join(dir, 'ext'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`)
    const sign = ['x509', '-req', '-in', 'tls.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial']
    await openssl(...sign, '-days', '2', '-extfile', 'ext', '-out', 'tls.crt')
    const files = ['tls.crt', 'tls.key', 'ca.crt']
    return Object.fromEntries(
      await Promise.all(files.map(async (name) => [name, await readFile(join(dir, name), 'utf8')])),
    )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
