import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOps } from '@worlds/testkit/ops'
import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, worldFiles } from './files-support'
import { newOwner } from './support'

let system: System
let dir: string
beforeAll(async () => {
  system = await startSystem({ files: true })
  dir = await mkdtemp(join(tmpdir(), 'worlds-copy-'))
})
afterAll(async () => {
  await system.stop()
  await rm(dir, { recursive: true })
})

function ops(...words: string[]): Promise<string> {
  return runOps(words, {
    SERVICE_TOKEN: system.serviceToken,
    ELEMENT_ADDRESSES: system.elementAddresses.join(),
    MEMBERSHIP_ADDRESSES: system.membershipAddress,
    CHANGE_FEED_ADDRESSES: system.changeFeedAddress,
    FILE_ADDRESSES: system.fileAddress,
  })
}

it('[FL-016] a copy of a world has its elements and none of its files', async () => {
  const [own, copy] = [await newOwner(system), await newOwner(system)]
  const { id } = await own.make('law', { name: 'Copied', description: 'whole' })
  await addFile(own, 'law', id)
  const file = join(dir, 'world.ndjson')
  await writeFile(file, await ops('world', 'export', '--world', own.world))
  await ops('world', 'import', '--new-ids', '--world', copy.world, '--file', file)
  const { data } = (await copy.get('/api/v2/law')).body
  expect(data).toEqual([expect.objectContaining({ name: 'Copied', description: 'whole' })])
  expect(data[0].id).not.toBe(id)
  expect(await worldFiles(copy)).toMatchObject({ data: [], used_bytes: 0 })
  expect((await copy.get(`/api/v2/law/${data[0].id}/files`)).body).toEqual({ data: [] })
  expect((await worldFiles(own)).data).toHaveLength(1)
})
