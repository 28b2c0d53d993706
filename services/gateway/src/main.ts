import { startTelemetry } from '@worlds/runtime/telemetry'

const telemetry = startTelemetry('gateway', process.env)

import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { runProcess } from '@worlds/runtime/process'
import { readConfig } from './config'
import { startGateway } from './service'

const config = readConfig(process.env)
const log = createLog('gateway', config.logLevel)
const metrics = createMetrics('gateway')

runProcess(config, log, metrics.registry, telemetry, () => startGateway(config, log, metrics)).catch((error) => {
  log.fatal({ err: error }, 'could not start')
  process.exitCode = 1
  setTimeout(() => process.exit(1), 200)
})
