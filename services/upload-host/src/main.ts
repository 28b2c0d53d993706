import { startTelemetry } from '@worlds/runtime/telemetry'

// Instrumentations patch modules as they are first required, so this stands before every other import.
const telemetry = startTelemetry('upload-host', process.env)

import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { runProcess } from '@worlds/runtime/process'
import { readConfig } from './config'
import { startUploadHost } from './service'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog('upload-host', config.process.logLevel)
  const metrics = createMetrics('upload-host')
  await runProcess(config.process, log, metrics.registry, telemetry, () => startUploadHost(config, log, metrics))
}

main().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
