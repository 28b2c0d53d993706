/** What the test is told by its environment. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { env, exit } from 'node:process'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const here = join(root, 'scripts', 'cluster')
export const chart = join(root, 'charts', 'worlds')

const missing = ['KUBECONFIG', 'LOAD_IMAGE', 'STORES_HOST'].filter((name) => !env[name])
if (missing.length > 0) {
  console.error(
    `test:cluster needs ${missing.join(', ')}: a cluster, the command that loads an image archive into it, ` +
      'and the address of this machine as pods reach it (docs/cluster-test.md)',
  )
  exit(2)
}

export const settings = {
  /** Called with the path of an archive after it. */
  loadImage: env.LOAD_IMAGE,
  storesHost: env.STORES_HOST,
  /** Where the stores are listened for; another than the above where that address is not one of this machine's. */
  listenHost: env.STORES_LISTEN || env.STORES_HOST,
  /** `build`; `built` takes the images that are here; `loaded` those that the cluster has. */
  images: env.IMAGES || 'build',
  namespace: env.NAMESPACE || 'worlds-cluster-test',
  /** `yes`: services call each other by mutual TLS. */
  tls: env.TLS === 'yes',
  monitoring: 'worlds-cluster-monitoring',
  /** Steps to run, by name; all where empty. Those that others rest on are always run. */
  steps: (env.STEPS || '').split(',').filter(Boolean),
  helm: existsSync(join(root, '.tools', 'helm')) ? join(root, '.tools', 'helm') : 'helm',
}

if (settings.images === 'build' && !existsSync(join(root, '.tools', 'k6'))) {
  console.error('test:cluster needs .tools/k6, the load that runs meanwhile: scripts/k6/tools.sh')
  exit(2)
}

export const release = 'worlds'
export const pin = '1234'

/** Services by the names of their Deployments, and what they listen on. */
export const services = {
  gateway: { port: 8080 },
  element: { port: 8080, isGrpc: true },
  'change-feed': { port: 8080, isGrpc: true },
  membership: { port: 8080, isGrpc: true },
  file: { port: 8080, isGrpc: true },
  'upload-host': { port: 8080 },
}
export const images = [...Object.keys(services), 'ops']
export const loadImage = 'localhost/worlds/load:dev'
