import { RefusalError } from '@worlds/domain/errors'
import { agentName, flag, name, optionalId, readBody, readOptionalBody, role, scope, worldName } from './body'

const readers = { name, public_read: flag, scope }

test('fields that were sent are read and others are absent', () => {
  expect(readBody(bytes('{"name":"Ann","public_read":false}'), readers)).toEqual({ name: 'Ann', public_read: false })
  expect(readBody(bytes('{}'), readers)).toEqual({})
})

test('a body is UTF-8 JSON text of an object, a byte order mark before it allowed', () => {
  expect(readBody(bytes('\ufeff{"name":"Ann"}'), readers)).toEqual({ name: 'Ann' })
  for (const body of ['', '{', 'null', '5', '[]', '"{}"'])
    expect(paramOf(() => readBody(bytes(body), readers))).toBeNull()
  expect(paramOf(() => readBody(Buffer.from([0x22, 0xff, 0x22]), readers))).toBeNull()
})

test('no body at all is allowed where no field is required', () => {
  expect(readOptionalBody(bytes(''), readers)).toEqual({})
  expect(paramOf(() => readOptionalBody(bytes('null'), readers))).toBeNull()
})

test('an unknown field is named, also one that every object inherits', () => {
  for (const field of ['pin', '__proto__', 'constructor', 'toString']) {
    expect(paramOf(() => readBody(bytes(`{"${field}":1}`), readers))).toBe(field)
  }
})

test('of several faults the first in the body is told', () => {
  expect(paramOf(() => readBody(bytes('{"scope":"all","name":1}'), readers))).toBe('scope')
  expect(paramOf(() => readBody(bytes('{"name":1,"scope":"all"}'), readers))).toBe('name')
})

test('text is counted in code points', () => {
  const long = '😀'.repeat(255)
  expect(name(long, 'name')).toBe(long)
  expect(paramOf(() => name(`${long}x`, 'name'))).toBe('name')
})

test('text has no NUL and no half of a surrogate pair', () => {
  for (const value of ['a\0b', '\ud800', 'x\udc00']) expect(paramOf(() => name(value, 'name'))).toBe('name')
})

test('a name may be empty, a world’s name may not, and neither is anything but text', () => {
  expect(name('', 'name')).toBe('')
  expect(paramOf(() => worldName('', 'name'))).toBe('name')
  for (const value of [null, 5, true, {}, []]) expect(paramOf(() => name(value, 'name'))).toBe('name')
})

test('scopes are the two words in lower case', () => {
  expect([scope('read', 'scope'), scope('write', 'scope')]).toEqual(['read', 'write'])
  for (const value of ['READ', '', null]) expect(paramOf(() => scope(value, 'scope'))).toBe('scope')
})

test('a role is one that a member can have', () => {
  for (const value of ['guest', 'contributor', 'co_builder']) expect(role(value, 'role')).toBe(value)
  for (const value of ['owner', 'Guest', '', null, 1, ['guest']])
    expect(paramOf(() => role(value, 'role'))).toBe('role')
})

test('an id comes in any case, or as null', () => {
  const id = '0190a3f0-0000-7000-8000-00000000abcd'
  expect(optionalId(id.toUpperCase(), 'character')).toBe(id)
  expect(optionalId(null, 'character')).toBeNull()
  for (const value of ['', 'nope', `{${id}}`, 7, [id]]) {
    expect(paramOf(() => optionalId(value, 'character'))).toBe('character')
  }
})

test('an agent has a name of 1 to 80 characters', () => {
  expect(agentName('😀'.repeat(80), 'agent_name')).toHaveLength(160)
  for (const value of ['', 'x'.repeat(81), null])
    expect(paramOf(() => agentName(value, 'agent_name'))).toBe('agent_name')
})

function bytes(text: string): Buffer {
  return Buffer.from(text)
}

function paramOf(read: () => unknown): string | null {
  try {
    read()
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.code === 'invalid_request') return error.refusal.param
    throw error
  }
  throw new Error('nothing was refused')
}
