import { startTelemetry } from '@worlds/runtime/telemetry'

// Instrumentations patch modules as they are first required, so this stands before every other import.
const telemetry = startTelemetry('upload-host', process.env)

import { setFlagsFromString } from 'node:v8'
import { createLog } from '@worlds/runtime/log'
import { createMetrics } from '@worlds/runtime/metrics'
import { runProcess } from '@worlds/runtime/process'
import { readConfig } from './config'
import { startUploadHost } from './service'

// A body's chunks count as growth of the heap, small as it is: V8 by its own measure would go through all of it for
// each 16 MB of them.
setFlagsFromString('--heap-growing-percent=400')

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
