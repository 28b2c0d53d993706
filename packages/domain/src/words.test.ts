import { type Category, categories } from './registry'
import { elementWords, sameWords, wordsOf } from './words'

const character = categories.get('character') as Category
const members = (fields: Record<string, unknown>) =>
  new Map(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]))
const found = (fields: Record<string, unknown>) => elementWords(character, members(fields)).split(' ').sort()

describe('words', () => {
  it.each([
    ['The river, THE sea', ['the', 'river', 'sea']],
    ["it's a|b & !c:*", ['it', 's', 'a', 'b', 'c']],
    ['Überwald 日本語 x²', ['überwald', '日本語', 'x²']],
    ['e\u0301a', ['e\u0301a']],
    ['... — ***', []],
  ])('of %j', (text, words) => {
    expect([...wordsOf(text)]).toEqual(words)
  })

  it('of an element come from its description and its category’s texts alone', () => {
    const fields = { name: 'n', supertype: 's', image_url: 'i', x_note: 'x', level: 7, friends: ['f'] }
    expect(found({ ...fields, description: 'One two', background: 'two three' })).toEqual(['one', 'three', 'two'])
    expect(elementWords(character, members(fields))).toBe('')
  })

  it('of an element fit into what PostgreSQL can hold, and none is too long', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `w${index}`).join(' ')
    const words = elementWords(character, members({ description: `${'x'.repeat(3000)} ${many}` }))
    expect(Buffer.byteLength(words.replaceAll(' ', ''))).toBeLessThanOrEqual(1_000_000)
    expect(words.startsWith('w0 w1')).toBe(true)
  })

  it('are the same while the texts are', () => {
    const before = members({ name: 'A', description: 'd', level: 1 })
    expect(sameWords(character, before, members({ name: 'B', description: 'd', level: 2, background: '' }))).toBe(true)
    expect(sameWords(character, before, members({ name: 'A', description: 'e' }))).toBe(false)
  })
})
