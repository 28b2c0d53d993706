import { last4, legacyScope, mintKey, mintToken, readLegacyKey } from './keys'

test('what is minted shows its kind and is never the same', () => {
  expect(mintKey('write')).toMatch(/^ow_w_[\w-]{43}$/)
  expect(mintKey('read')).toMatch(/^ow_r_[\w-]{43}$/)
  expect(mintToken()).toMatch(/^ow_a_[\w-]{43}$/)
  expect(mintToken()).not.toBe(mintToken())
  expect(last4('ow_w_abcd1234')).toBe('1234')
})

test('a legacy key has ten ASCII digits', () => {
  expect(readLegacyKey('0123456789')).toBe('0123456789')
  for (const key of ['', '123456789', '01234567890', '012345678x', '0123456789\n', '０１２３４５６７８９']) {
    expect(() => readLegacyKey(key)).toThrow('ten digits')
  }
})

test('the ten demo keys only ever read', () => {
  for (let digit = 0; digit <= 9; digit += 1) expect(legacyScope(`000000000${digit}`, false)).toBe('read')
  expect(legacyScope('0000000010', false)).toBe('write')
  expect(legacyScope('0123456789', true)).toBe('read')
})
