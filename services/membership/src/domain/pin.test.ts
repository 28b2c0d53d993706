import { currentPin, newPin } from './pin'

test('a PIN to set is 1000 to 9999, as string or number', () => {
  for (const pin of ['1000', '9999', 1000, 9999]) expect(newPin(pin, 'pin')).toBe(String(pin))
})

test('anything else is no PIN', () => {
  for (const pin of [
    null,
    true,
    '',
    '999',
    999,
    '10000',
    10000,
    '0999',
    ' 1234',
    '1234\n',
    1234.5,
    '１２３４',
    [1234],
  ]) {
    expect(() => newPin(pin, 'pin')).toThrow('1000 to 9999')
  }
})

test('a malformed current PIN is a guess, an absent one is none', () => {
  expect(currentPin('abc', 'current_pin')).toBe('abc')
  expect(currentPin(1234, 'current_pin')).toBe('1234')
  expect(currentPin(null, 'current_pin')).toBeUndefined()
  expect(currentPin('', 'current_pin')).toBeUndefined()
  expect(() => currentPin({}, 'current_pin')).toThrow('must be a PIN')
})
