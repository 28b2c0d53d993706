import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileWindow } from './file-window'

const bytes = randomBytes(700_000)
let folder: string
let handle: FileHandle
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'window-'))
  await writeFile(join(folder, 'a'), bytes)
  handle = await open(join(folder, 'a'))
})
afterAll(async () => {
  await handle.close()
  await rm(folder, { recursive: true })
})

it('reads any place, forth and back and across its edges', async () => {
  const file = new FileWindow(handle, bytes.length)
  for (const at of [0, 262_140, 699_990, 5, 262_144, 524_280, 100]) {
    expect(await file.at(at, 10)).toEqual(bytes.subarray(at, at + 10))
  }
  expect(await file.at(700_000, 0)).toHaveLength(0)
})

it('leaves alone what it has handed out', async () => {
  const file = new FileWindow(handle, bytes.length)
  const first = await file.at(0, 100_000)
  await file.at(400_000, 100_000)
  expect(first?.equals(bytes.subarray(0, 100_000))).toBe(true)
})

it('reads on in chunks', async () => {
  const chunks: Buffer[] = []
  for await (const chunk of new FileWindow(handle, bytes.length).chunks(1, 600_000)) chunks.push(chunk)
  expect(Buffer.concat(chunks).equals(bytes.subarray(1, 600_001))).toBe(true)
})

it.each([
  ['before the file', bytes.length, -1, 2],
  ['after it', bytes.length, bytes.length, 1],
  ['across its end', bytes.length, bytes.length - 1, 2],
  ['after a size that it was given', 100, 99, 2],
  ['of a file that is shorter than that', bytes.length + 10, bytes.length - 1, 2],
])('has no bytes %s', async (_, size, at, length) => {
  expect(await new FileWindow(handle, size).at(at, length)).toBeNull()
})
