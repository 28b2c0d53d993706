import { type ExecFileException, execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, constants, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Say } from './embedded-binaries'

const run = promisify(execFile)

/** A real Redis: one that is on the machine, else installed by apt, else compiled by redis-memory-server. */
export async function redisBinary(say: Say): Promise<string> {
  const found = await onPath()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    say('Redis is not on this machine: installing it with apt-get')
    const failed = await aptInstall().then(
      () => undefined,
      (error: ExecFileException) => error,
    )
    const installed = await onPath()
    if (installed !== undefined) return installed
    say(`apt-get could not install Redis: ${failed?.message.trim().split('\n').at(-1) ?? 'no binary'}`)
  }
  say('Redis is not on this machine: downloading and compiling it, once, which takes minutes')
  return compile()
}

async function onPath(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const path of ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name)))) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (runs) return path
  }
  return undefined
}

async function aptInstall(): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=300']
  await run('apt-get', ['update', '-q'], { env, maxBuffer: 1 << 24 })
  await withoutServices(() =>
    run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...waitForLock, 'redis-server'], {
      env,
      maxBuffer: 1 << 24,
    }),
  )
}

/** Debian starts what it installs; a policy that says no keeps the packaged server from running beside ours. */
async function withoutServices(install: () => Promise<unknown>): Promise<void> {
  const policy = '/usr/sbin/policy-rc.d'
  const ours = await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' }).then(
    () => true,
    () => false,
  )
  try {
    await install()
  } finally {
    if (ours) await rm(policy, { force: true })
  }
}

async function compile(): Promise<string> {
  const { RedisBinary } = await import('redis-memory-server').catch(() => {
    throw new Error('no Redis: install redis-server or valkey-server, or give one as REDIS_URL')
  })
  return RedisBinary.getPath()
}
