import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failpoints } from '@worlds/runtime/failpoint'
import { closeWithReply, drain, listen } from '@worlds/runtime/http-server'
import type { Log } from '@worlds/runtime/log'
import type { Metrics } from '@worlds/runtime/metrics'
import type { Service } from '@worlds/runtime/process'
import { Producer } from '@worlds/runtime/queue-ends'
import { createRedis, firstConnection } from '@worlds/runtime/redis'
import { Claims } from '@worlds/storage/claims'
import { ObjectStore } from '@worlds/storage/object-store'
import { Rooms } from '@worlds/storage/rooms'
import { Counter } from 'prom-client'
import { Afterwards } from './afterwards'
import type { Config } from './config'
import type { Context } from './context'
import { Reports } from './reports'
import { createUploadServer } from './server'
import { Slabs } from './slabs'

/** Puts the upload host together: object store and Redis, no database. */
export async function startUploadHost(config: Config, log: Log, { registry }: Metrics): Promise<Service> {
  const { redisUrl, redisPrefix, limits, tickets, directory } = config
  const redis = createRedis(redisUrl, redisPrefix, log)
  await firstConnection(redis, 2_000)
  const objects = config.objects.bucket === '' ? null : new ObjectStore(config.objects, { putMs: limits.putMs })
  await objects?.prepare()
  await prepareDirectory(directory)
  const producer = new Producer(redisUrl, redisPrefix, 'file-stored', log)
  const afterwards = new Afterwards(log, config.limits.afterwardsMs)
  const reports = new Reports(producer, afterwards)
  const context: Context = {
    log,
    tickets,
    objects,
    claims: new Claims(redis),
    rooms: new Rooms(redis),
    requests: producer,
    reports,
    afterwards,
    limits,
    directory,
    memory: new Slabs(limits.memoryBytes),
    failpoints: new Failpoints(config.failpoints),
  }
  const requests = new Counter({
    name: 'upload_requests_total',
    help: 'Answers by path and outcome: ok, or the error that was told.',
    labelNames: ['path', 'outcome'],
    registers: [registry],
  })
  const server = createUploadServer(context, limits, (path, outcome) => requests.inc({ path, outcome }))
  const { host, port } = config.process
  const address = await listen(server, host, port, 'the server', log)
  return {
    address,
    // Without Redis it still answers, and in its own words.
    ready: async () => true,
    beginDrain: () => closeWithReply(server),
    stopTaking: () => drain(server),
    async close() {
      server.closeAllConnections()
      reports.end()
      await afterwards.close()
      await producer.close()
      redis.disconnect()
      objects?.close()
    },
  }
}

/** A process that was killed may have left a body behind. */
async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    const facts = await stat(path).catch(() => null)
    if (facts !== null && name.startsWith('upload-') && Date.now() - facts.mtimeMs > 3_600_000) {
      await rm(path, { force: true })
    }
  }
}
