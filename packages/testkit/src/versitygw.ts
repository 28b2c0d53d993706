import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { endProcess, LastLines } from './child-process'
import { findProgram } from './find-program'
import { freePort } from './free-port'
import type { ObjectStore } from './object-store'
import { versityAccess } from './s3-access'
import { until } from './until'

/** The S3 server's binary in `.tools/` or on the PATH; null when it is in neither. */
export const findVersitygw = (): string | null => findProgram('versitygw')

/** An S3 server that honours If-None-Match, as a process of its own over a folder. */
export async function startVersitygw(binary: string, directory: string): Promise<ObjectStore & { pid: number }> {
  const [data, sidecar] = [join(directory, 'data'), join(directory, 'sidecar')]
  await Promise.all([data, sidecar].map((path) => mkdir(path, { recursive: true })))
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const { accessKeyId, secretAccessKey } = versityAccess(endpoint)
  const options = ['--access', accessKeyId, '--secret', secretAccessKey, '--port', `127.0.0.1:${port}`, '--quiet']
  const child = spawn(binary, [...options, 'posix', '--sidecar', sidecar, data], { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = new LastLines(child)
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`versitygw ended (exit ${child.exitCode}):\n${lines.text()}`)
    return fetch(endpoint).then(
      () => true,
      () => false,
    )
  })
  return { endpoint, pid: child.pid ?? 0, stop: () => endProcess(child, 'SIGTERM', 5_000) }
}
