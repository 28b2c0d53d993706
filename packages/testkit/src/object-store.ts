import { mkdir } from 'node:fs/promises'
import S3rver from 's3rver'

export interface ObjectStore {
  readonly endpoint: string
  stop(): Promise<void>
}

/** An S3 server inside this process. It checks no If-None-Match and takes any bucket name. */
export async function startObjectStore(directory: string): Promise<ObjectStore> {
  await mkdir(directory, { recursive: true })
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory })
  const { port } = await server.run()
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => server.close() }
}
