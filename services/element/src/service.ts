import { elementV1 } from '@worlds/proto/load'
import { ByteBudget } from '@worlds/runtime/byte-budget'
import { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import { type Metrics, watchAge, watchBudget, watchPool } from '@worlds/runtime/metrics'
import { streamed, unary } from '@worlds/runtime/operation'
import { createDatabase } from '@worlds/runtime/postgres'
import type { Service } from '@worlds/runtime/process'
import { Producer } from '@worlds/runtime/queue-ends'
import { createRedis, firstConnection } from '@worlds/runtime/redis'
import { isMigrated } from '@worlds/runtime/required-schema'
import { createRpcServer } from '@worlds/runtime/rpc-server'
import { PageSizes } from '@worlds/views/page-size'
import { Readers } from '@worlds/views/reader'
import type { ElementConfig } from './config'
import { Departures } from './departures'
import { Idempotency } from './idempotency'
import { createPurgeMetrics, createQueueMetrics } from './metrics'
import { OutboxRelay } from './outbox-relay'
import { Purge } from './purge'
import { bulk } from './rpc/bulk'
import { createElement } from './rpc/create-element'
import { deleteElement } from './rpc/delete-element'
import { editLinks } from './rpc/edit-links'
import { getElement } from './rpc/get-element'
import { listHidden, setHidden } from './rpc/hidden'
import { listElements } from './rpc/list-elements'
import { markRestored } from './rpc/operator'
import { listIds, readElements } from './rpc/read-many'
import { reservingBody } from './rpc/reserve-body'
import * as roll from './rpc/roll'
import * as members from './rpc/roll-members'
import { getMe, getStanding, listMembers } from './rpc/roster'
import { countTypings, searchElements } from './rpc/search'
import { findBirths, findElement, findElements, findImageUrl } from './rpc/sight'
import { getWorld, patchWorld } from './rpc/world'
import { patchElement, putElement } from './rpc/write-element'
import { ageOfOutbox } from './store/outbox'
import { findReceipt, purgeReceipts } from './store/receipts'
import { Wording } from './wording'
import { WriteQueues } from './write/queues'

/** Puts the service together over its stores and starts it. */
export async function startElement(config: ElementConfig, log: Log, metrics: Metrics): Promise<Service> {
  const database = createDatabase(
    {
      url: config.databaseUrl,
      applicationName: 'element',
      poolSize: config.poolSize,
      statementTimeoutMs: config.statementTimeoutMs,
    },
    log,
  )
  watchPool(metrics, database.waiting)
  const producer = new Producer(config.redisUrl, config.redisPrefix, 'element-deleted', log)
  const redis = createRedis(config.redisUrl, config.redisPrefix, log)
  await firstConnection(redis, 2_000)
  const idempotency = new Idempotency(
    redis,
    (worldId, receipt) => findReceipt(database, worldId, receipt, config.receiptLifeMs),
    {
      leaseMs: config.idempotencyLeaseMs,
      waitMs: config.idempotencyWaitMs,
      // A record may only refer to its receipt, so the receipt must outlive it.
      recordMs: Math.min(config.idempotencyRecordMs, config.receiptLifeMs),
    },
    log,
  )
  const failpoints = new Failpoints(config.failpoints)
  const outbox = new OutboxRelay(database, producer, failpoints, log, config.outbox)
  const memory = new ByteBudget(config.memoryBytes)
  const bodies = new ByteBudget(config.memoryBytes)
  watchBudget(metrics, 'memory', 'large replies and stored elements', memory)
  watchBudget(metrics, 'body_memory', 'large request bodies, parsed', bodies)
  const queues = new WriteQueues({
    database,
    log,
    metrics: createQueueMetrics(metrics),
    failpoints,
    memory,
    docsUrl: config.docsUrl,
    receiptLifeMs: config.receiptLifeMs,
    deleted: () => outbox.wake(),
  })
  const submit = queues.submit.bind(queues)
  const readers = new Readers(database)
  const scope = { config, database, readers, idempotency, memory, pageSizes: new PageSizes(), submit }
  const purge = new Purge(database, log, config.purgeEveryMs, createPurgeMetrics(metrics))
  const departures = new Departures(database, submit, log, config.purgeEveryMs)
  const wording = new Wording(database, log, config.purgeEveryMs)
  const rollScope = { ...scope, purge, departures, outbox }
  const receipts = setInterval(() => {
    purgeReceipts(database, config.receiptLifeMs).catch((error) => log.warn({ err: error }, 'receipts stay for now'))
  }, 60_000)

  const measured = { log, metrics }
  const server = createRpcServer(config.serviceToken, config.maxConnectionAgeMs, config.tls)
  server.add(elementV1.Elements.service, {
    GetElement: unary(measured, 'Elements.GetElement', getElement(scope)),
    ListElements: streamed(measured, 'Elements.ListElements', listElements(scope)),
    ListIds: streamed(measured, 'Elements.ListIds', listIds(scope)),
    ReadElements: streamed(measured, 'Elements.ReadElements', readElements(scope)),
    SearchElements: unary(measured, 'Elements.SearchElements', searchElements(scope)),
    CountTypings: unary(measured, 'Elements.CountTypings', countTypings(scope)),
    CreateElement: unary(measured, 'Elements.CreateElement', reservingBody(bodies, createElement(scope))),
    PutElement: unary(measured, 'Elements.PutElement', reservingBody(bodies, putElement(scope))),
    PatchElement: unary(measured, 'Elements.PatchElement', reservingBody(bodies, patchElement(scope))),
    DeleteElement: unary(measured, 'Elements.DeleteElement', deleteElement(scope)),
    EditLinks: unary(measured, 'Elements.EditLinks', reservingBody(bodies, editLinks(scope))),
    SetHidden: unary(measured, 'Elements.SetHidden', setHidden(scope)),
    Bulk: unary(measured, 'Elements.Bulk', reservingBody(bodies, bulk(scope))),
  })
  server.add(elementV1.Worlds.service, {
    GetWorld: unary(measured, 'Worlds.GetWorld', getWorld(scope)),
    PatchWorld: unary(measured, 'Worlds.PatchWorld', reservingBody(bodies, patchWorld(scope))),
    GetMe: unary(measured, 'Worlds.GetMe', getMe(scope)),
    ListHidden: unary(measured, 'Worlds.ListHidden', listHidden(scope)),
    ListMembers: unary(measured, 'Worlds.ListMembers', listMembers(scope)),
    GetStanding: unary(measured, 'Worlds.GetStanding', getStanding(scope)),
  })
  server.add(elementV1.Roll.service, {
    OpenWorld: unary(measured, 'Roll.OpenWorld', roll.openWorld(scope)),
    UpdateWorld: unary(measured, 'Roll.UpdateWorld', roll.updateWorld(scope)),
    CloseWorld: unary(measured, 'Roll.CloseWorld', roll.closeWorld(rollScope)),
    DescribeWorlds: unary(measured, 'Roll.DescribeWorlds', roll.describeWorlds(scope)),
    RaiseAuthVersions: unary(measured, 'Roll.RaiseAuthVersions', roll.raiseAuthVersions(scope)),
    GetAuthVersions: unary(measured, 'Roll.GetAuthVersions', roll.getAuthVersions(scope)),
    AddMember: unary(measured, 'Roll.AddMember', members.addMember(scope)),
    UpdateMember: unary(measured, 'Roll.UpdateMember', members.updateMember(scope)),
    RemoveMember: unary(measured, 'Roll.RemoveMember', members.removeMember(scope)),
    ForgetMember: unary(measured, 'Roll.ForgetMember', members.forgetMember(rollScope)),
    ReadRoll: unary(measured, 'Roll.ReadRoll', members.readRoll(scope)),
    DescribeMembers: unary(measured, 'Roll.DescribeMembers', members.describeMembers(scope)),
  })
  server.add(elementV1.Sight.service, {
    FindElement: unary(measured, 'Sight.FindElement', findElement(scope)),
    FindElements: unary(measured, 'Sight.FindElements', findElements(scope)),
    FindBirths: unary(measured, 'Sight.FindBirths', findBirths(scope)),
    FindImageUrl: unary(measured, 'Sight.FindImageUrl', findImageUrl(scope)),
  })

  server.add(elementV1.Operator.service, {
    MarkRestored: unary(measured, 'Operator.MarkRestored', markRestored(scope)),
  })

  const address = await server.listen(config.host, config.port)
  purge.start()
  departures.start()
  wording.start()
  outbox.start()
  watchAge(metrics, 'element_outbox_age_seconds', 'Age of the oldest deletion that was not yet told.', () =>
    ageOfOutbox(database),
  )
  return {
    address,
    ready: () => isMigrated(database, 'element'),
    stopTaking: () => server.stopTaking(),
    async close() {
      clearInterval(receipts)
      await Promise.all([purge.stop(), departures.stop(), wording.stop(), outbox.stop()])
      await producer.close()
      server.close()
      queues.close()
      redis.disconnect()
      await database.close()
    },
  }
}
