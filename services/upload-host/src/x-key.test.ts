import { Refused } from './refusals'
import { checkExtension, readXKey } from './x-key'

const prefix = 'u/world/'

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return null
}

describe('a key that an image chooses', () => {
  it.each([
    'u/world/a.png',
    'u/world/a..b.png',
    'u/world/deep/er/-_.0.png',
    `u/world/${'a'.repeat(188)}.png`,
    'u/world/a',
  ])('may be %s', (key) => {
    expect(readXKey(key, prefix)).toBe(key)
  })

  it.each([undefined, ''])('is absent as %j', (sent) => {
    expect(readXKey(sent, prefix)).toBeNull()
  })

  it.each([
    'u/world/',
    'u/other/a.png',
    '/u/world/a.png',
    'u/world/A.png',
    'u/world//a.png',
    'u/world/a b.png',
    'u/world/a.png/',
    'u/world/./a.png',
    'u/world/../a.png',
    'u/world/é.png',
    `u/world/${'a'.repeat(189)}.png`,
  ])('may not be %s', (key) => {
    expect(errorOf(() => readXKey(key, prefix))).toMatchObject({ error: 'bad_key', reason: expect.any(String) })
  })

  it.each([
    ['a.png', 'png', true],
    ['a.jpg', 'jpeg', true],
    ['a.jpeg', 'jpeg', true],
    ['a.png', 'jpeg', false],
    ['a', 'png', false],
    ['png', 'png', false],
    ['a.webp.png', 'webp', false],
    ['dir.png/a', 'png', false],
  ] as const)('%s over %s bytes: %s', (name, type, isGood) => {
    const error = errorOf(() => checkExtension(`u/world/${name}`, type))
    if (isGood) expect(error).toBeNull()
    else expect(error).toBeInstanceOf(Refused)
  })
})
