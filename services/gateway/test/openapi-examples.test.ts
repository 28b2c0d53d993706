import { ids } from '@worlds/gateway/openapi/examples'
import { type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { buildStage, type Stage, type Stand } from './openapi-examples-stage'
import { type Example, exampleOf, judgeOf, type Operation, operationsOf, strangeKeys } from './openapi-support'
import { type Body, expectBody } from './support'

describe('the worked examples of the document', () => {
  let system: System
  let stage: Stage
  let document: Body
  beforeAll(async () => {
    system = await startSystem({
      files: true,
      env: { gateway: { DEV_MAIL: 'true' }, membership: { DEV_MAIL: 'true' } },
    })
    stage = await buildStage(system)
    document = expectBody(await api(system.gateway).get('/api/v2/openapi.json'), 200)
  }, 120_000)
  afterAll(() => system?.stop())

  it('are answered as it says, every one of them', async () => {
    const judge = judgeOf(document)
    const operations = inOrder(operationsOf(document))
    const faults: string[] = []
    for (const operation of operations) {
      const example = exampleOf(operation)
      const reply = await send(operation, example, await stage.prepare(operation.id))
      const fault =
        reply.status === example.status
          ? (judge(operation, reply) ?? (example.reply === undefined ? null : strangeKeys(example.reply, reply.body)))
          : `${example.status} expected, not ${reply.status} ${reply.text}`
      if (fault !== null) faults.push(`${operation.id}: ${fault}`)
    }
    expect(faults).toEqual([])
    expect(operations.length).toBeGreaterThan(300)
  }, 240_000)

  function send({ method }: Operation, { path, body, credentials }: Example, stand: Stand): Promise<ApiReply> {
    const { own } = stage
    const known: Readonly<Record<string, string>> = {
      Key: own.key,
      Pin: own.pin,
      AccountToken: `Bearer ${stand.token ?? own.token}`,
    }
    const names: Readonly<Record<string, string>> = { Key: 'API-Key', Pin: 'API-Pin', AccountToken: 'Authorization' }
    const headers = Object.fromEntries(credentials.map((name) => [names[name] ?? '', known[name] ?? '']))
    const here = { ...stand.ids, ...(stand.ids?.[ids.world] === undefined ? { [ids.world]: own.world } : {}) }
    const sent = body === undefined ? undefined : replaced(JSON.stringify(body), here)
    const client = api(system.gateway, {
      ...headers,
      ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }),
    })
    if (method === 'get') return client.get(replaced(path, here))
    return client[method as 'post' | 'put' | 'patch' | 'delete'](replaced(path, here), sent)
  }
})

/** What replaces the examples' elements first, for others show them; what deletes them last. */
function inOrder(operations: readonly Operation[]): Operation[] {
  const rank = ({ id, path }: Operation) => {
    if (!/^\/api\/v2\/[a-z]+\/\{id\}$/.test(path)) return 1
    return id.startsWith('put-') ? 0 : id.startsWith('delete-') ? 2 : 1
  }
  return operations.toSorted((a, b) => rank(a) - rank(b))
}

function replaced(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((sum, [written, here]) => sum.replaceAll(written, here), text)
}
