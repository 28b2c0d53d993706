import fc from 'fast-check'
import { readMessage } from './message'

const read = (message: unknown) => readMessage(Buffer.from(JSON.stringify(message)))
const base = { jsonrpc: '2.0', id: 1 }

describe('a message of the agent protocol', () => {
  it('that calls a tool keeps its name, and its arguments apart', () => {
    const params = { name: 'list', arguments: { type: 'event' }, _meta: { a: 1 }, task: {} }
    expect(read({ ...base, method: 'tools/call', params, more: [1] })).toEqual({
      reduced: { ...base, method: 'tools/call', params: { name: 'list' } },
      toolUse: { name: 'list', args: { type: 'event' } },
    })
    const bare = read({ ...base, method: 'tools/call', params: { name: 'me' } })
    expect(bare).toMatchObject({ toolUse: { name: 'me', args: {} } })
    for (const params of [undefined, null, 1, [], { name: 1 }, {}]) {
      expect(read({ ...base, method: 'tools/call', params })).toMatchObject({ toolUse: null })
    }
  })

  it('that begins a session keeps what the protocol negotiates', () => {
    const clientInfo = { name: 'n', version: '1', icons: [{ src: 'x' }] }
    const params = { protocolVersion: '2025-06-18', capabilities: { roots: { a: 1 } }, clientInfo, _meta: {} }
    expect(read({ ...base, method: 'initialize', params })).toEqual({
      reduced: {
        ...base,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'n', version: '1' } },
      },
      toolUse: null,
    })
  })

  it('is a notification without an id, and an answer without a method', () => {
    const method = 'notifications/initialized'
    expect(read({ jsonrpc: '2.0', method })).toEqual({ reduced: { jsonrpc: '2.0', method }, toolUse: null })
    expect(read({ ...base, result: { a: [1] } })).toEqual({ reduced: { ...base, result: {} }, toolUse: null })
    const error = { code: 7, message: 'm', data: [1] }
    expect(read({ ...base, error })).toEqual({ reduced: { ...base, error: { code: 0, message: '' } }, toolUse: null })
  })

  it('has a text or a number as its id', () => {
    for (const id of ['a', 0]) expect(read({ ...base, id, method: 'ping' })).toMatchObject({ reduced: { id } })
    for (const id of [null, {}, [1], true]) {
      expect(read({ ...base, id, method: 'ping' })).toMatchObject({ reduced: { id: null } })
    }
  })

  it('is refused as a batch, as no JSON, and as what nests too deeply', () => {
    expect(read([])).toBe('batch')
    expect(read([{ ...base, method: 'ping' }])).toBe('batch')
    for (const text of ['', '{', '\0', '{"a":1}{"a":1}']) expect(readMessage(Buffer.from(text))).toBeNull()
    const deep = `{"params":${'['.repeat(3_000)}${']'.repeat(3_000)}}`
    expect(readMessage(Buffer.from(deep))).toBeNull()
    const wide = `{"params":[${Array(200_000).fill('{}').join(',')}]}`
    expect(readMessage(Buffer.from(wide))).toBeNull()
    for (const value of [null, 1, 'text', true]) expect(read(value)).toEqual({ reduced: null, toolUse: null })
  })

  it('is reduced to little that does not grow with what else was sent', () => {
    const methods = fc.constantFrom('tools/call', 'tools/list', 'ping', 'initialize', 'notifications/x', undefined)
    const name = fc.constant('list')
    const params = fc.oneof(fc.jsonValue(), fc.record({ name, arguments: fc.jsonValue(), _meta: fc.jsonValue() }))
    const message = fc.record({ ...{ jsonrpc: fc.constant('2.0'), id: fc.jsonValue(), method: methods }, params })
    fc.assert(
      fc.property(message, fc.dictionary(fc.string(), fc.jsonValue()), (known, more) => {
        const found = read({ ...more, ...known, _meta: Array(500).fill(more) })
        if (found === null || found === 'batch') throw new Error('an object is a message')
        const { id, method, params: kept } = found.reduced as Record<string, unknown>
        expect([typeof id === 'object', typeof id]).not.toEqual([true, 'undefined'])
        expect(method).toBe(known.method)
        const members = ['name', 'protocolVersion', 'capabilities', 'clientInfo']
        expect(Object.keys(kept ?? {}).filter((member) => !members.includes(member))).toEqual([])
      }),
    )
  })

  it('is judged from any bytes without a fault', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => void readMessage(Buffer.from(bytes))))
  })
})
