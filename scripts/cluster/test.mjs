/**
 * `npm run test:cluster`: the chart and the images on a real cluster. docs/cluster-test.md says what it needs.
 * Every step says in a line what it shows; the exit code tells of faults.
 */
import { exit } from 'node:process'
import { imagesStep } from './images.mjs'
import { removeLoad, startLoad } from './load-pod.mjs'
import { makeNamespace, removeNamespaces } from './release.mjs'
import { check, faultCount, note, title } from './report.mjs'
import { endAllRunning, kubectl } from './run.mjs'
import { settings } from './settings.mjs'
import { accountStep, helmTestStep, installStep } from './steps/install.mjs'
import { evictStep, killStep } from './steps/kills.mjs'
import { egressStep, networkStep } from './steps/network.mjs'
import { eventsStep, podsStep } from './steps/pods.mjs'
import { scaleStep } from './steps/scale.mjs'
import { spreadStep, trafficStep } from './steps/traffic.mjs'
import { inNamespace, uninstallStep } from './steps/uninstall.mjs'
import { rollbackStep, upgradeStep } from './steps/upgrade.mjs'
import { startStores, stopStores } from './stores.mjs'
import { auditLoad } from './under-load.mjs'

/** Name, what it shows, and whether others rest on it. */
const steps = [
  ['images', 'images', imagesStep, true],
  ['install', 'installing', installStep, true],
  ['account', 'an account', accountStep, true],
  ['test', "the chart's own test", helmTestStep],
  ['traffic', 'traffic from outside', trafficStep],
  ['pods', 'pods from within', podsStep],
  ['network', 'who reaches whom', networkStep],
  ['egress', 'who may call out', egressStep],
  ['load', 'load', startLoad, true],
  ['spread', 'calls spread over pods', spreadStep],
  ['upgrade', 'an upgrade under load', upgradeStep],
  ['rollback', 'the way back under load', rollbackStep],
  ['kill', 'pods and processes that die under load', killStep],
  ['evict', 'pods that are asked to go under load', evictStep],
  ['scale', 'more and fewer pods under load', scaleStep],
  ['audit', 'what was acknowledged', auditLoad, true],
  ['load-end', 'the load ends', removeLoad, true],
  ['events', 'what the cluster had to say', eventsStep],
  ['uninstall', 'uninstalling', uninstallStep],
]

let ending = false

async function main() {
  const stores = await startStores()
  await removeNamespaces()
  await makeNamespace(stores)
  const context = { stores, before: [] }
  for (const [name, what, step, isNeeded = false] of steps) {
    if (ending) return
    if (!isNeeded && settings.steps.length > 0 && !settings.steps.includes(name)) continue
    title(what)
    if (name === 'install') context.before = [...(await inNamespace()), 'secret/worlds-test-account']
    try {
      await step(context)
    } catch (error) {
      check(false, what, error.message)
      if (isNeeded) throw new Error(`what follows rests on it: ${what}`)
    }
  }
}

/** Ends all that was started, by its process; the cluster stays as it was found. */
async function end(code) {
  if (ending) return
  ending = true
  if (faultCount() > 0) await showTrouble()
  endAllRunning()
  await removeNamespaces().catch((error) => note(error.message))
  await stopStores()
  exit(code)
}

async function showTrouble() {
  const pods = await kubectl('get', 'pods', '-o', 'wide').catch((error) => error.message)
  note(pods)
  const troubled = pods.split('\n').filter((line) => / (0\/1|[A-Z]\w*(Error|BackOff)) /.test(line))
  for (const line of troubled.slice(0, 4)) {
    const [name] = line.split(' ')
    note(`-- ${name}`)
    note(await kubectl('logs', name, '--tail=15').catch((error) => error.message))
  }
  const events = await kubectl('get', 'events', '--sort-by=.lastTimestamp').catch(() => '')
  note(events.split('\n').slice(-20).join('\n'))
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(130))
void main()
  .catch((error) => check(false, 'the test', error.stack))
  .then(() => {
    const faults = faultCount()
    title(faults === 0 ? 'well' : `${faults} faults`)
    return end(faults === 0 ? 0 : 1)
  })
