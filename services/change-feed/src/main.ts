import { startTelemetry } from '@worlds/runtime/telemetry'

const telemetry = startTelemetry('change-feed', process.env)

import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { runProcess } from '@worlds/runtime/process'
import { readConfig } from './config'
import { startChangeFeed } from './service'

const config = readConfig(process.env)
const log = createLog('change-feed', config.logLevel)
const metrics = createMetrics('change-feed')

runProcess(config, log, metrics.registry, telemetry, () => startChangeFeed(config, log, metrics)).catch((error) => {
  log.fatal({ err: error }, 'could not start')
  process.exitCode = 1
  setTimeout(() => process.exit(1), 200)
})
