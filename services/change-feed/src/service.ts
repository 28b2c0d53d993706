import { changeFeedV1 } from '@worlds/proto/load'
import { ByteBudget } from '@worlds/runtime/byte-budget'
import type { Log } from '@worlds/runtime/log'
import { type Metrics, watchBudget, watchPool } from '@worlds/runtime/metrics'
import { streamed } from '@worlds/runtime/operation'
import { createDatabase } from '@worlds/runtime/postgres'
import type { Service } from '@worlds/runtime/process'
import { isMigrated } from '@worlds/runtime/required-schema'
import { createRpcServer } from '@worlds/runtime/rpc-server'
import { PageSizes } from '@worlds/views/page-size'
import { Readers } from '@worlds/views/reader'
import { Counter } from 'prom-client'
import type { ChangeFeedConfig } from './config'
import { getChanges } from './rpc/get-changes'
import { FeedSource, type Replica } from './store/feed-source'

/** Puts the service together over its store and starts it. */
export async function startChangeFeed(config: ChangeFeedConfig, log: Log, metrics: Metrics): Promise<Service> {
  const { databaseUrl: url, poolSize, statementTimeoutMs } = config
  const database = createDatabase({ url, applicationName: 'change-feed', poolSize, statementTimeoutMs }, log)
  watchPool(metrics, database.waiting)
  const replica = openReplica(config, log, metrics)
  const source = new FeedSource(database, replica, log)
  const memory = new ByteBudget(config.memoryBytes)
  watchBudget(metrics, 'memory', 'large replies', memory)
  const server = createRpcServer(config.serviceToken, config.maxConnectionAgeMs, config.tls)
  server.add(changeFeedV1.ChangeFeed.service, {
    GetChanges: streamed(
      { log, metrics },
      'ChangeFeed.GetChanges',
      getChanges({ source, readers: new Readers(database), memory, pageSizes: new PageSizes() }),
    ),
  })
  return {
    address: await server.listen(config.host, config.port),
    ready: () => isMigrated(database, 'element'),
    stopTaking: () => server.stopTaking(),
    async close() {
      server.close()
      await Promise.all([database.close(), replica?.database.close()])
    },
  }
}

function openReplica(config: ChangeFeedConfig, log: Log, { registry }: Metrics): Replica | null {
  const { replicaUrl: url, poolSize, replicaTimeoutMs, replicaRetryMs: retryMs } = config
  const reads = new Counter({
    name: 'feed_replica_reads_total',
    help: 'Pages asked of the replica, by outcome: used, behind or failed; the primary served after the last two.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  if (url === '') return null
  const timeouts = { statementTimeoutMs: replicaTimeoutMs, connectTimeoutMs: replicaTimeoutMs }
  const database = createDatabase({ url, applicationName: 'change-feed', poolSize, ...timeouts }, log)
  return { database, retryMs, count: (outcome) => reads.inc({ outcome }) }
}
