/** What is left of a release that was taken away. */
import { check, note, seconds } from '../report.mjs'
import { helm, kubectl, run, until } from '../run.mjs'
import { release } from '../settings.mjs'

/** Everything in the namespace, of every kind that can be deleted; events tell of what was, and are not of it. */
export async function inNamespace() {
  const { stdout } = await run('kubectl', ['api-resources', '--namespaced', '--verbs=list,delete', '-o', 'name'])
  const kinds = stdout.split('\n').filter((kind) => kind !== '' && !/^events(\.|$)|\.metrics\.k8s\.io$/.test(kind))
  const names = await kubectl('get', kinds.join(','), '-o', 'name')
  return names.split('\n').filter(Boolean).sort()
}

export async function uninstallStep({ before }) {
  const began = Date.now()
  await helm(['uninstall', release, '--wait', '--timeout', '5m'])
  let left = []
  await until('nothing is left', 120_000, async () => {
    left = (await inNamespace()).filter((name) => !before.includes(name))
    return left.length === 0
  }).catch(() => undefined)
  check(
    left.length === 0,
    'helm uninstall leaves nothing behind',
    `${seconds(began)}, ${before.length} objects as before`,
  )
  for (const name of left) note(name)
}
