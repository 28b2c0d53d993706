import { startTelemetry } from '@worlds/runtime/telemetry'

// Instrumentations patch modules as they are first required, so this stands before every other import.
const telemetry = startTelemetry('file', process.env)

import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { runProcess } from '@worlds/runtime/process'
import { readConfig } from './config'
import { startFile } from './service'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog('file', config.process.logLevel)
  const metrics = createMetrics('file')
  await runProcess(config.process, log, metrics.registry, telemetry, () => startFile(config, log, metrics))
}

main().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
