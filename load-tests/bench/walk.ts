import { Agent, get } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

export interface Walk {
  readonly seconds: number
  readonly pages: number
  readonly bytes: number
}

/** Reads page after page of 1000 until `next` finds no further one. */
export async function walk(
  first: string,
  headers: Record<string, string>,
  next: (head: string, last: string) => string | null,
): Promise<Walk> {
  const started = performance.now()
  let pages = 0
  let bytes = 0
  for (let url: string | null = first; url !== null; ) {
    const page: Page = await fetchPage(url, headers)
    pages += 1
    bytes += page.bytes
    url = next(page.head, page.last)
  }
  return { seconds: (performance.now() - started) / 1000, pages, bytes }
}

interface Page {
  readonly head: string
  readonly last: string
  readonly bytes: number
}

function fetchPage(url: string, headers: Record<string, string>): Promise<Page> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        if (response.statusCode !== 200) return reject(new Error(`${response.statusCode} ${body}`))
        resolve({
          head: body.subarray(0, 400).toString(),
          last: String(response.headers['x-last'] ?? ''),
          bytes: body.length,
        })
      })
    }).on('error', reject)
  })
}
