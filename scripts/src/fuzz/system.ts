import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ended } from '@worlds/testkit/child-process'
import { repositoryRoot } from '@worlds/testkit/paths'
import { type System, startSystem } from '@worlds/testkit/system'

const plenty = '1000000000'

/** The whole system over servers of its own, without the limits that guard it against one client. */
export async function startFuzzed(): Promise<System> {
  const servers = spawn(process.execPath, [join(repositoryRoot, 'packages', 'testkit', 'dist', 'servers.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const stopServers = async () => {
    servers.stdin.end()
    await ended(servers)
  }
  try {
    process.env.WORLDS_TEST_SERVERS = await new Promise<string>((resolve, reject) => {
      servers.once('exit', () => reject(new Error('the servers did not start')))
      createInterface({ input: servers.stdout }).once('line', resolve)
    })
    const system = await startSystem({
      files: true,
      env: {
        gateway: {
          REQUEST_BUDGET: plenty,
          UNKNOWN_CREDENTIALS_PER_MINUTE: plenty,
          PIN_TRIES: plenty,
          PIN_TRIES_PER_WINDOW: plenty,
        },
        membership: { PIN_TRIES: plenty, PIN_TRIES_PER_WINDOW: plenty },
        file: { FILE_TICKETS: plenty, IMAGE_TICKETS: plenty },
      },
    })
    const stop = () => system.stop().finally(stopServers)
    return { ...system, stop }
  } catch (error) {
    await stopServers()
    throw error
  }
}
