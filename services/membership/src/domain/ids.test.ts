import { noSuch } from '@worlds/domain/errors'
import { readId } from './ids'

const id = '0190a3f0-0000-7000-8000-00000000abcd'

test('an id comes in any case and leaves in lower case', () => {
  expect(readId(id.toUpperCase())).toBe(id)
})

test('what is no UUID gets the refusal of what it names', () => {
  for (const sent of ['', 'nope', `{${id}}`, id.replaceAll('-', ''), `urn:uuid:${id}`, `${id} `, `${id}\n`]) {
    expect(() => readId(sent)).toThrow('not a UUID')
    expect(() => readId(sent, noSuch('world'))).toThrow('no such world')
  }
})
