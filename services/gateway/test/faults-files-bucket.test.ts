/** The operator's repair of files while the bucket is missing, is another one, or has lost objects. */
import { runOps } from '@worlds/testkit/ops'
import { type System, startSystem } from '@worlds/testkit/system'
import { gateway, soon } from './faults-files-support'
import { addFile, ask, bucketOf, filesOf } from './files-support'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let place: string
let files: string[]

beforeAll(async () => {
  system = await startSystem({ files: true, env: { gateway, file: soon } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
  files = []
  for (const text of ['one', 'two', 'three']) {
    files.push((await addFile(own, 'location', place, {}, text)).id)
  }
})

interface Outcome {
  readonly code: number
  readonly found: Body
  readonly stderr: string
}

/** Runs `ops files reconcile` with further words. */
async function reconcile(...words: string[]): Promise<Outcome> {
  const env = { SERVICE_TOKEN: system.serviceToken, FILE_ADDRESSES: system.fileAddress }
  const ran = await runOps(['files', 'reconcile', ...words], env).then(
    (stdout) => ({ code: 0, stdout, stderr: '' }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  return { code: ran.code, stderr: ran.stderr, found: ran.stdout === '' ? null : JSON.parse(ran.stdout) }
}

/** Every file is listed, and its bytes are served. */
async function expectFiles(ids: readonly string[]): Promise<void> {
  const listed = await filesOf(own, 'location', place)
  expect(listed.map(({ id }: Body) => id).sort()).toEqual([...ids].sort())
  for (const id of ids) {
    const { url } = expectBody(await own.get(`/api/v2/location/${place}/files/${id}/download`), 200)
    expect((await ask(url)).status).toBe(200)
  }
}

describe('a repair', () => {
  it('compares and removes nothing while the bucket is missing', async () => {
    await system.processes.restart('file', { S3_BUCKET: 'missing', S3_CREATE_BUCKET: 'false' })
    for (const words of [[], ['--repair'], ['--repair', '--accept-missing', '3']]) {
      const { code, found, stderr } = await reconcile(...words)
      expect([code, found]).toEqual([1, null])
      expect(stderr).toContain('the bucket does not answer')
    }
    await system.processes.restart('file', { S3_BUCKET: system.bucket })
    await expectFiles(files)
  })

  it('says what it would remove and stops where the bucket is another one', async () => {
    await system.processes.restart('file', { S3_BUCKET: `${system.bucket}-other`, S3_CREATE_BUCKET: 'true' })
    const { rows } = (await reconcile()).found
    const number = String(rows)
    for (const words of [[], ['--accept-missing', '2'], ['--accept-missing', `${number}0`]]) {
      const { code, found, stderr } = await reconcile('--repair', ...words)
      expect(code).toBe(1)
      expect(found).toMatchObject({ rows, missing: rows, repaired: 0 })
      for (const id of files) expect(found.examples.join()).toContain(`${id}.txt`)
      expect(stderr).toContain(`${number} of ${number} rows lack their bytes; nothing was removed.`)
    }
    await system.processes.restart('file', { S3_BUCKET: system.bucket })
    await expectFiles(files)
  })

  it('removes the rows whose number is accepted, and no others', async () => {
    const bucket = bucketOf(system)
    await bucket.remove(`w/${own.world}/${place}/${files[0]}.txt`)
    expect((await reconcile('--repair')).code).toBe(1)
    const { code, found } = await reconcile('--repair', '--accept-missing', '1')
    expect([code, found.missing, found.repaired]).toEqual([0, 1, 1])
    await expectFiles(files.slice(1))
    expect(await reconcile('--repair')).toMatchObject({ code: 0, found: { missing: 0, repaired: 0 } })
    bucket.close()
  })

  it('takes nothing but a number of rows', async () => {
    for (const text of ['', '-1', 'all', '1.5']) {
      expect((await reconcile('--repair', '--accept-missing', text)).code).toBe(1)
    }
    await expectFiles(files)
  })
})
