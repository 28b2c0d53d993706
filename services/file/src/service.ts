import { fileV1 } from '@worlds/proto/load'
import { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import { type Metrics, watchAge, watchPool } from '@worlds/runtime/metrics'
import { type RpcScope, streamed, unary } from '@worlds/runtime/operation'
import { createDatabase } from '@worlds/runtime/postgres'
import type { Service } from '@worlds/runtime/process'
import { Consumer } from '@worlds/runtime/queue-ends'
import { watchQueues } from '@worlds/runtime/queue-reports'
import { createRedis, firstConnection } from '@worlds/runtime/redis'
import { isMigrated } from '@worlds/runtime/required-schema'
import { createRpcServer } from '@worlds/runtime/rpc-server'
import { Claims } from '@worlds/storage/claims'
import { ObjectStore } from '@worlds/storage/object-store'
import { Rooms } from '@worlds/storage/rooms'
import type { Config } from './config'
import type { Context } from './context'
import { DownloadLinks } from './downloads/links'
import { DownloadServer } from './downloads/server'
import { Quotas } from './quotas'
import { reconcile } from './reconcile'
import { createTicket } from './rpc/create-ticket'
import { getDownload, removeFile } from './rpc/files'
import { forgetRooms } from './rpc/forget-rooms'
import { getQueues } from './rpc/get-queues'
import { createImageTicket, createRemovalTicket, getStorage } from './rpc/images'
import { listElementFiles, listFilesOfWorld } from './rpc/list-files'
import { readContent } from './rpc/read-content'
import { answer } from './rpc/reply'
import { Listings } from './settle/listings'
import { SettlingRounds } from './settle/rounds'
import { handleAccount, handleElements, handleStored } from './settle/worker'
import { Sight } from './sight'
import { ageOfDoomed } from './store/doomed'

/** Puts the service together: its calls, the download host, and those who settle what was told or left. */
export async function startFile(config: Config, log: Log, metrics: Metrics): Promise<Service> {
  const db = createDatabase(config.database, log)
  watchPool(metrics, db.waiting)
  const redis = createRedis(config.redisUrl, config.redisPrefix, log)
  await firstConnection(redis, 2_000)
  const objects = config.objects.bucket === '' ? null : new ObjectStore(config.objects)
  await objects?.prepare()
  const served = objects === null ? null : new ObjectStore(config.objects, { connections: config.downloads.atOnce })
  const downloads = new DownloadServer(log, config.downloads.atOnce)
  const downloadUrl = await downloads.listen(config.process.host, config.downloads.port)
  const { url, secrets, linkLifeMs } = config.downloads
  const rooms = new Rooms(redis)
  const context: Context = {
    config,
    log,
    db,
    objects,
    served,
    sight: new Sight(config.elementAddresses, config.process),
    claims: new Claims(redis),
    rooms,
    listings: new Listings(db, rooms, config.settling.leaseMs),
    filling: new Map(),
    quotas: new Quotas(redis, config.quotas),
    links: new DownloadLinks(url === '' ? downloadUrl : url, secrets, linkLifeMs),
    failpoints: new Failpoints(config.failpoints),
  }
  downloads.serve(context)
  const server = createRpcServer(config.process.serviceToken, config.maxConnectionAgeMs, config.process.tls)
  addHandlers(server, { log, metrics }, context)
  const address = await server.listen(config.process.host, config.process.port)
  const settling = objects === null ? null : startSettling(context, objects, metrics)

  return {
    address,
    also: { downloads: downloadUrl },
    ready: () => isMigrated(db, 'file'),
    beginDrain: () => downloads.beginDrain(),
    async stopTaking() {
      await Promise.all([server.stopTaking(), downloads.stopTaking(), settling?.stop()])
    },
    async close() {
      server.close()
      downloads.close()
      context.sight.close()
      redis.disconnect()
      objects?.close()
      served?.close()
      await db.close()
    },
  }
}

function startSettling(context: Context, objects: ObjectStore, metrics: Metrics): { stop(): Promise<void> } {
  const { redisUrl, redisPrefix } = context.config
  const { log } = context
  const rounds = new SettlingRounds(context, objects)
  const consumers = [
    new Consumer(redisUrl, redisPrefix, 'file-stored', (job) => handleStored(context, job), log, 6),
    new Consumer(redisUrl, redisPrefix, 'element-deleted', (job) => handleElements(context, job), log, 4),
    new Consumer(redisUrl, redisPrefix, 'account-deleted', (job) => handleAccount(context, job), log, 1),
  ]
  rounds.start()
  const watch = watchQueues(metrics, redisUrl, redisPrefix)
  watchAge(metrics, 'file_doomed_age_seconds', 'Age of the oldest bytes given up and not yet deleted.', () =>
    ageOfDoomed(context.db),
  )
  return {
    async stop() {
      watch.close()
      await Promise.all([rounds.stop(), ...consumers.map((consumer) => consumer.close())])
    },
  }
}

function addHandlers(server: ReturnType<typeof createRpcServer>, scope: RpcScope, context: Context): void {
  const handler = <Request, Reply>(method: string, handle: (context: Context, request: Request) => Promise<Reply>) =>
    unary(scope, method, (request: Request) => answer(handle(context, request)))
  const inParts = <Request, Part>(method: string, handle: (context: Context, request: Request) => Promise<Part[]>) =>
    streamed(scope, method, async (request: Request) => [await answer(handle(context, request))].flat())

  server.add(fileV1.Files.service, {
    ListFiles: inParts('Files.ListFiles', listElementFiles),
    ListWorldFiles: inParts('Files.ListWorldFiles', listFilesOfWorld),
    CreateTicket: handler('Files.CreateTicket', createTicket),
    GetDownload: handler('Files.GetDownload', getDownload),
    ReadFile: inParts('Files.ReadFile', readContent),
    RemoveFile: handler('Files.RemoveFile', removeFile),
  })
  server.add(fileV1.Images.service, {
    CreateImageTicket: handler('Images.CreateImageTicket', createImageTicket),
    CreateRemovalTicket: handler('Images.CreateRemovalTicket', createRemovalTicket),
    GetStorage: handler('Images.GetStorage', getStorage),
  })
  server.add(fileV1.Operator.service, {
    Reconcile: handler('Operator.Reconcile', reconcile),
    GetQueues: handler('Operator.GetQueues', getQueues),
    ForgetRooms: handler('Operator.ForgetRooms', forgetRooms),
  })
}
