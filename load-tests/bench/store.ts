import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type S3Access, s3rverAccess, versityAccess } from '@worlds/testkit/s3-access'
import { findVersitygw, startVersitygw } from '@worlds/testkit/versitygw'

export interface Store {
  readonly name: string
  readonly access: S3Access
  readonly pid: number
  stop(): Promise<void>
}

/** The object store that both sides use, as a process of its own: versitygw where it is, else s3rver. */
export async function startStore(dir: string): Promise<Store> {
  const binary = findVersitygw()
  if (binary !== null) {
    const { endpoint, pid, stop } = await startVersitygw(binary, join(dir, 'versity'))
    return { name: 'versitygw', access: versityAccess(endpoint), pid, stop }
  }
  const script = join(__dirname, '..', 'baseline', 'object-store.js')
  const child = spawn(process.execPath, [script, join(dir, 's3')], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const { endpoint } = JSON.parse(line) as { endpoint: string }
    const stop = async () => {
      child.kill()
    }
    return { name: 's3rver', access: s3rverAccess(endpoint), pid: child.pid ?? 0, stop }
  }
  throw new Error('the object store did not start')
}
