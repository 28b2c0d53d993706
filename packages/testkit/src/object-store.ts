import { mkdir, rm } from 'node:fs/promises'
import S3rver from 's3rver'

export interface ObjectStore {
  readonly endpoint: string
  stop(): Promise<void>
}

/** An S3 server inside this process. It checks no If-None-Match and takes any bucket name. */
export async function startObjectStore(directory: string): Promise<ObjectStore> {
  await mkdir(directory, { recursive: true })
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory })
  keepFolders(server)
  const { port } = await server.run()
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

/** Its own delete takes an empty folder away also beneath a put into it, whose error would end this process. */
function keepFolders({ store }: S3rver): void {
  store.deleteObject = async (bucket, key) => {
    const parts = ['object', 'object.md5', 'metadata.json'].map((part) => store.getResourcePath(bucket, key, part))
    await Promise.all(parts.map((path) => rm(path, { force: true })))
  }
}
