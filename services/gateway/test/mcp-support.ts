/** What tests of the agent tool server begin with. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { System } from '@worlds/testkit/system'
import type { Body } from './support'

const clients: Client[] = []

/** The protocol's own client, with these headers on every request. */
export async function connect(system: Pick<System, 'gateway'>, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', system.gateway), { requestInit: { headers } }))
  clients.push(client)
  // As clients do that show an agent its tools: from then on results are held to the tools' schemas.
  await client.listTools()
  return client
}

export async function closeClients(): Promise<void> {
  for (const client of clients.splice(0)) await client.close()
}

/** Structured content of a good result; its text says the same. */
export async function call(client: Client, name: string, args: Body = {}): Promise<Body> {
  const result: Body = await client.callTool({ name, arguments: args })
  if (result.isError) throw new Error(JSON.stringify(result))
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
  return result.structuredContent
}

/** What a good result says in text alone. */
export async function callForText(client: Client, name: string, args: Body = {}): Promise<Body> {
  const result: Body = await client.callTool({ name, arguments: args })
  if (result.isError) throw new Error(JSON.stringify(result))
  expect([result.content.length, result.structuredContent]).toEqual([1, undefined])
  return JSON.parse(result.content[0].text)
}

/** The code that a call is refused with, in the envelope. */
export async function codeOf(client: Client, name: string, args: Body = {}): Promise<string> {
  const result: Body = await client.callTool({ name, arguments: args })
  expect(result.isError).toBe(true)
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
  expect(Object.keys(result.structuredContent.error)).toEqual(['type', 'code', 'message', 'param', 'doc_url'])
  return result.structuredContent.error.code
}
