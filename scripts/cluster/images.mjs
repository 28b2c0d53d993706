/** The images: built, told the size of, and loaded under two tags, `dev` and `next`, the version that is upgraded to. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check, leftOut, seconds } from './report.mjs'
import { run } from './run.mjs'
import { here, images, settings } from './settings.mjs'

const store = ['--storage-driver', 'overlay']
const nameOf = (service, tag) => `localhost/worlds/${service}:${tag}`

export async function imagesStep() {
  if (settings.images === 'loaded') return leftOut('building and loading images', 'IMAGES=loaded')
  const dir = await mkdtemp(join(tmpdir(), 'worlds-images-'))
  try {
    for (const service of images) await one(service, dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function one(service, dir) {
  const began = Date.now()
  if (settings.images !== 'built') await run('nice', ['scripts/image.sh', service], { timeoutMs: 1_800_000 })
  const [dev, next] = [nameOf(service, 'dev'), nameOf(service, 'next')]
  const { stdout } = await run('podman', [...store, 'image', 'inspect', dev, '--format', '{{.Size}}'])
  const built = seconds(began)
  if (service === 'ops') {
    const build = ['bud', '--isolation', 'chroot', '--network', 'host', '-q', '--build-arg', `OPS=${dev}`]
    await run('buildah', [...store, ...build, '-f', join(here, 'Dockerfile.next'), '-t', next, here])
  } else {
    await run('buildah', [...store, 'tag', dev, next])
  }
  const archive = join(dir, `${service}.tar`)
  await run('podman', [...store, 'save', '-q', '-m', '--format', 'docker-archive', '-o', archive, dev, next])
  const loading = Date.now()
  await run('sh', ['-c', `${settings.loadImage} "$1"`, 'sh', archive])
  await rm(archive)
  const size = `${(Number(stdout) / 1e6).toFixed(0)} MB`
  const how = settings.images === 'built' ? 'was there' : `built and tried in ${built}`
  check(true, `image ${service}`, `${size}, ${how}, loaded in ${seconds(loading)}`)
}
