const { OW_API_BASE: base, OW_API_KEY: key = '', OW_API_PIN: pin = '' } = process.env

interface Element {
  id: string
  name: string
}

interface Page {
  data: Element[]
  has_more: boolean
}

interface Feed {
  changes: { op: 'upsert' | 'delete'; id: string }[]
  cursor: string
}

async function call<T = void>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { 'API-Key': key, 'API-Pin': pin, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const reply = response.status === 204 ? null : await response.json()
  if (!response.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`)
  return reply
}

const ann = await call<Element>('POST', '/character', { name: 'Ann', background: 'A miller’s daughter.' })
await call('PATCH', `/character/${ann.id}`, { level: 3 })

const { data, has_more } = await call<Page>('GET', '/character?limit=10')
console.log(`${data.length} characters${has_more ? ' and more' : ''}`)

const { changes, cursor } = await call<Feed>('GET', '/changes?limit=100')
console.log(`${changes.length} changes; the next are asked for with since=${cursor}`)
