import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { endProcess, LastLines } from '@worlds/testkit/child-process'
import { freePort } from '@worlds/testkit/free-port'
import { repositoryRoot } from '@worlds/testkit/paths'
import { until } from '@worlds/testkit/until'

export interface Toxiproxy {
  /** Of its HTTP API, by which the scripts make what stands behind it slow. */
  readonly url: string
  /** Resolves to the address that leads to the loopback port through a proxy of this name. */
  add(name: string, port: number): Promise<string>
  stop(): Promise<void>
}

/** Null where it is neither in `.tools/` nor on the PATH. */
export async function startToxiproxy(): Promise<Toxiproxy | null> {
  const directories = [join(repositoryRoot, '.tools'), ...(process.env.PATH ?? '').split(delimiter)]
  const binary = directories.map((directory) => join(directory, 'toxiproxy-server')).find((path) => existsSync(path))
  if (binary === undefined) return null
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const options = ['-host', '127.0.0.1', '-port', String(port)]
  const child = spawn(binary, options, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'error' },
  })
  const lines = new LastLines(child)
  await until(() => {
    if (child.exitCode !== null) throw new Error(`toxiproxy ended (exit ${child.exitCode}):\n${lines.text()}`)
    return fetch(`${url}/version`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  return {
    url,
    async add(name, behind) {
      const listen = `127.0.0.1:${await freePort()}`
      const body = JSON.stringify({ name, listen, upstream: `127.0.0.1:${behind}`, enabled: true })
      const reply = await fetch(`${url}/proxies`, { method: 'POST', body })
      if (reply.status !== 201) throw new Error(`no proxy for ${name}: ${reply.status} ${await reply.text()}`)
      return listen
    },
    stop: () => endProcess(child, 'SIGTERM', 5_000),
  }
}
