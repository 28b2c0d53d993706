import { startTelemetry } from '@worlds/runtime/telemetry'

const telemetry = startTelemetry('element', process.env)

import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { runProcess } from '@worlds/runtime/process'
import { readConfig } from './config'
import { startElement } from './service'

const config = readConfig(process.env)
const log = createLog('element', config.logLevel)
const metrics = createMetrics('element')

runProcess(config, log, metrics.registry, telemetry, () => startElement(config, log, metrics)).catch((error) => {
  log.fatal({ err: error }, 'could not start')
  process.exitCode = 1
  setTimeout(() => process.exit(1), 200)
})
