import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Who a server is started as; empty for ourselves. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root: root starts it as the user `postgres`, made when missing. */
export async function postgresUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return {}
  const found = await ids()
  if (found !== undefined) return found
  await run('groupadd', ['--system', 'postgres']).catch(() => undefined)
  await run('useradd', ['--system', '--no-create-home', '-g', 'postgres', 'postgres']).catch(() => undefined)
  const made = await ids()
  if (made === undefined) throw new Error('root needs a user named postgres to run PostgreSQL, and none could be made')
  return made
}

async function ids(): Promise<Required<RunAs> | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
    )
    return { uid: uid as number, gid: gid as number }
  } catch {
    return undefined
  }
}
