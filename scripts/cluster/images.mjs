/**
 * The images: built, told the size of, and loaded. Those of the services are loaded under two tags, `dev` and `next`, the
 * version that is upgraded to; that of the load is no service's, and has one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check, leftOut, seconds } from './report.mjs'
import { run } from './run.mjs'
import { here, images, loadImage, root, settings } from './settings.mjs'

const store = ['--storage-driver', 'overlay']
const bud = ['bud', '--isolation', 'chroot', '--network', 'host', '-q']
const nameOf = (service, tag) => `localhost/worlds/${service}:${tag}`

export async function imagesStep() {
  if (settings.images === 'loaded') return leftOut('building and loading images', 'IMAGES=loaded')
  const dir = await mkdtemp(join(tmpdir(), 'worlds-images-'))
  try {
    for (const service of images) await ofService(service, dir)
    await ofLoad(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function ofService(service, dir) {
  const began = Date.now()
  if (settings.images !== 'built') await run('nice', ['scripts/image.sh', service], { timeoutMs: 1_800_000 })
  const built = seconds(began)
  const [dev, next] = [nameOf(service, 'dev'), nameOf(service, 'next')]
  if (service === 'ops') {
    const made = ['--build-arg', `OPS=${dev}`, '-f', join(here, 'Dockerfile.next'), '-t', next, here]
    await run('buildah', [...store, ...bud, ...made])
  } else {
    await run('buildah', [...store, 'tag', dev, next])
  }
  await load(service, [dev, next], `built and tried in ${built}`, dir)
}

/** Over the base that the services' images have made. */
async function ofLoad(dir) {
  const began = Date.now()
  if (settings.images !== 'built') {
    const made = ['--build-arg', `BASE=localhost/worlds/node-runtime:${process.versions.node}`]
    made.push('--build-context', `tools=${join(root, '.tools')}`, '-f', join(here, 'Dockerfile.load'))
    await run('buildah', [...store, ...bud, ...made, '-t', loadImage, join(root, 'load-tests')])
  }
  await load('load', [loadImage], `built in ${seconds(began)}`, dir)
}

async function load(name, tags, built, dir) {
  const { stdout } = await run('podman', [...store, 'image', 'inspect', tags[0], '--format', '{{.Size}}'])
  const archive = join(dir, `${name}.tar`)
  await run('podman', [...store, 'save', '-q', '-m', '--format', 'docker-archive', '-o', archive, ...tags])
  const began = Date.now()
  await run('sh', ['-c', `${settings.loadImage} "$1"`, 'sh', archive])
  await rm(archive)
  const size = `${(Number(stdout) / 1e6).toFixed(0)} MB`
  const how = settings.images === 'built' ? 'was there' : built
  check(true, `image ${name}`, `${size}, ${how}, loaded in ${seconds(began)}`)
}
