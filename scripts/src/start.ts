import { createServer } from 'node:net'
import { join } from 'node:path'
import { migrate } from '@worlds/schema/migrate'
import { startConstellation } from '@worlds/testkit/constellation'
import { noteProcess } from '@worlds/testkit/leftovers'
import type { ServiceProcess } from '@worlds/testkit/service-process'
import { leaveDataDir, processesOf, takeDataDir, writeFileOf } from './start/data-dir'
import { demoKey, makeDemo } from './start/demo'
import { readOptions, type StartOptions } from './start/options'
import { Run } from './start/run'
import { readSecrets, type Secrets } from './start/secrets'
import { startServers } from './start/servers'
import { Supervisor } from './start/supervisor'

/** `npm start`: the whole system on one machine, until it is told to stop. A process that ends is started again. */
async function main(): Promise<void> {
  const options = readOptions(process.argv, process.env)
  const run = new Run()
  const starting = start(options, run)
  let failure = await Promise.race([starting.then(() => run.ending), run.ending]).catch((error: Error) => error)
  run.say('stopping')
  await run.stop()
  // Told to stop while it was still starting: what came up since is stopped too.
  const cause = await starting.then(
    () => undefined,
    (error: Error) => error,
  )
  await run.stop()
  if (failure !== undefined) failure = cause ?? failure
  if (failure !== undefined) console.error(failure.message)
  run.say('stopped')
  process.exit(failure === undefined ? 0 : 1)
}

async function start(options: StartOptions, run: Run): Promise<void> {
  const { dir } = options
  const ports = portsOf(options)
  for (const port of Object.values(ports)) await checkPort(port)
  await takeDataDir(dir, options.fresh, run.say)
  run.onStop('the data folder', () => leaveDataDir(dir))
  const secrets = await readSecrets(dir, process.env)
  const supervisor = new Supervisor(run)
  const servers = await startServers(options, secrets.postgresPassword, run, supervisor)
  run.step('migrating the database')
  const urls = await migrate(servers.databaseUrl, secrets.databasePasswords, {
    ran: (name) => run.say(`migrated ${name}`),
  })

  run.step('starting element, membership, change-feed, file, upload-host and gateway')
  const processes = new Processes(run)
  await startConstellation(
    {
      urls,
      redisUrl: servers.redisUrl,
      redisPrefix: 'worlds',
      serviceToken: secrets.serviceToken,
      peppers: secrets.peppers,
      files: {
        s3: servers.s3,
        bucket: options.bucket,
        ticketKeys: secrets.ticketKeys,
        linkSecrets: secrets.linkSecrets,
        uploadHosts: 1,
      },
      elements: 1,
      gateways: 1,
      detached: true,
      keepLines: 200,
      env: {
        gateway: { PORT: String(ports.gateway), DEV_MAIL: 'true' },
        'upload-host': { PORT: String(ports.upload), UPLOAD_DIR: join(dir, 'uploads') },
        file: { DOWNLOAD_PORT: String(ports.files) },
        membership: { DEV_MAIL: 'true', PORTAL_URL: `http://127.0.0.1:${options.port}/account/` },
      },
      spawned: (process) => {
        supervisor.watch(processes.nameOf(process), process)
        noteProcess(processesOf(dir), process.pid, '/dist/main.js', process.ended())
      },
      onLine: (name, line) => showTrouble(run, name, line),
    },
    processes,
  )
  const gateway = processes.address('gateway')
  await healthy(gateway)
  run.step('all services are healthy')

  const demo = await makeDemo(dir, gateway, processes.address('membership'), secrets.serviceToken)
  run.say(demo === 'made' ? 'made the demo world' : 'the demo world is there')
  run.onStop('the addresses', () => leaveDataDir(dir))
  // Probes and metrics of a process that was restarted are at another port.
  const writeInternal = () => writeFileOf(dir, 'internal.json', { ...internalOf(processes, secrets), ...servers }, true)
  await writeInternal()
  await writeFileOf(dir, 'addresses.json', {
    gateway,
    upload: `${processes.address('upload-host')}/v1/upload`,
    files: processes.get('file')?.downloads ?? '',
  })
  run.onStop('restarts', () => supervisor.stop())
  supervisor.begin(writeInternal)
  run.say(`ready at ${gateway}`)
  console.log(whatToTry(gateway, options))
}

/** Each is stopped with the run, from the moment it is made. */
class Processes extends Map<string, ServiceProcess> {
  constructor(private readonly run: Run) {
    super()
  }

  override set(name: string, process: ServiceProcess): this {
    this.run.onStop(name, () => process.stop())
    return super.set(name, process)
  }

  address(name: string): string {
    return this.get(name)?.address ?? ''
  }

  nameOf(wanted: ServiceProcess): string {
    return [...this].find(([, process]) => process === wanted)?.[0] ?? 'a service'
  }
}

/** What the operator's command line reads. */
function internalOf(processes: Processes, { serviceToken, databasePasswords }: Secrets) {
  return {
    elementAddresses: [processes.address('element')],
    membershipAddresses: [processes.address('membership')],
    changeFeedAddresses: [processes.address('change-feed')],
    fileAddresses: [processes.address('file')],
    serviceToken,
    databasePasswords,
    metrics: Object.fromEntries([...processes].map(([name, process]) => [name, process.metrics])),
  }
}

function portsOf({ port }: StartOptions) {
  return port === 0 ? { gateway: 0, upload: 0, files: 0 } : { gateway: port, upload: port + 1, files: port + 2 }
}

/** Found out before servers are started, and said in one line. */
async function checkPort(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => reject(new Error(`port ${port} is taken: choose another with --port`)))
    server.listen(port, '127.0.0.1', resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}

async function healthy(gateway: string): Promise<void> {
  const response = await fetch(`${gateway}/api/v2/health`)
  if (!response.ok) throw new Error(`the gateway answers ${response.status} to /api/v2/health`)
}

/** Services log JSON lines; a person at a terminal wants the bad ones alone. */
function showTrouble(run: Run, name: string, line: string): void {
  if (/"level":"(warn|error|fatal)"/.test(line) || !line.startsWith('{')) run.say(`${name}: ${line.slice(0, 2_000)}`)
}

function whatToTry(gateway: string, options: StartOptions): string {
  return `
Try, with the demo world's read-only key:
  curl -s ${gateway}/api/v2/world -H 'API-Key: ${demoKey}'
  curl -s '${gateway}/api/v2/character?expand=friends,location' -H 'API-Key: ${demoKey}'
  curl -s ${gateway}/api/v2/changes -H 'API-Key: ${demoKey}'
Make an account, then a world with the token it prints:
  npm run -s ops -- account create --data ${options.dir} --email you@example.org --pin 1234
  curl -s ${gateway}/api/v2/account/worlds -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"name":"Mine"}'
Mails are shown at ${gateway}/dev/mail.
Stop with Ctrl-C.
`
}

main().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
