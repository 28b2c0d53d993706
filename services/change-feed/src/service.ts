import { changeFeedV1 } from '@worlds/proto/load'
import type { Log } from '@worlds/runtime/log'
import { type Metrics, watchPool } from '@worlds/runtime/metrics'
import { streamed } from '@worlds/runtime/operation'
import { createDatabase } from '@worlds/runtime/postgres'
import type { Service } from '@worlds/runtime/process'
import { createRpcServer } from '@worlds/runtime/rpc-server'
import { Readers } from '@worlds/views/reader'
import type { ChangeFeedConfig } from './config'
import { getChanges } from './rpc/get-changes'

/** Puts the service together over its store and starts it. */
export async function startChangeFeed(config: ChangeFeedConfig, log: Log, metrics: Metrics): Promise<Service> {
  const { databaseUrl: url, poolSize, statementTimeoutMs } = config
  const database = createDatabase({ url, applicationName: 'change-feed', poolSize, statementTimeoutMs }, log)
  watchPool(metrics, database.waiting)
  const server = createRpcServer(config.serviceToken, config.maxConnectionAgeMs, config.tls)
  server.add(changeFeedV1.ChangeFeed.service, {
    GetChanges: streamed(
      { log, metrics },
      'ChangeFeed.GetChanges',
      getChanges({ database, readers: new Readers(database) }),
    ),
  })
  return {
    address: await server.listen(config.host, config.port),
    async ready() {
      await database.rows({ name: 'ready', text: 'select 1' }, [])
      return true
    },
    stopTaking: () => server.stopTaking(),
    async close() {
      server.close()
      await database.close()
    },
  }
}
