import { Environment, readProcessConfig } from './config'
import { createRpcServer } from './rpc-server'
import { readServiceTokens } from './service-tokens'

const token = 'a'.repeat(32)
const other = 'b'.repeat(40)

describe('SERVICE_TOKEN', () => {
  it.each([
    [token, [token]],
    [`${token},${other}`, [token, other]],
    [` ,${token}, ,${other},`, [token, other]],
  ])('%j is read without its empty items', (list, expected) => {
    expect(readServiceTokens(list)).toEqual(expected)
  })

  it.each(['', ',', ' , ', 'a'.repeat(31), `${token},short`])('%j is refused at the start', (list) => {
    const env = new Environment({ SERVICE_TOKEN: list })
    readProcessConfig(env)
    expect(() => env.check()).toThrow(/SERVICE_TOKEN .*32 characters or more/)
    expect(() => createRpcServer(list, 1_000)).toThrow(/32 characters or more/)
  })

  it('that is refused is not repeated in the message', () => {
    expect(() => readServiceTokens('too-short-a-secret')).toThrow(expect.not.objectContaining({ message: /too-short/ }))
  })
})
