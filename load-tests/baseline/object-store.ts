/** s3rver as a process of its own. */
import { startObjectStore } from '@worlds/testkit/object-store'

async function main(): Promise<void> {
  const { endpoint } = await startObjectStore(process.argv[2] ?? '')
  console.log(JSON.stringify({ endpoint }))
}

void main()
