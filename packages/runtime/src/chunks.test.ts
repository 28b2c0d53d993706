import fc from 'fast-check'
import { chunksOf } from './chunks'

const chunkBytes = 256 << 10
/** Texts that are together no longer are one message. */
const wholeBytes = 512 << 10

describe('texts cut into messages', () => {
  it('are whole again in order, and no message is longer than the limit', () => {
    const text = fc.tuple(fc.constantFrom('a', 'ä', '😀'), fc.constantFrom(1, 10, 90_000, 300_000))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (drawn) => {
        const texts = drawn.map(([unit, times]) => unit.repeat(times))
        const chunks = chunksOf(texts)
        expect(Buffer.concat(chunks).toString() === texts.join()).toBe(true)
        const most = chunks.length === 1 ? wholeBytes : chunkBytes
        expect(chunks.every(({ length }) => length <= most)).toBe(true)
        expect(chunks.slice(1).every(({ length }) => length > 0)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('are one empty message when there are none', () => {
    expect(chunksOf([])).toEqual([Buffer.alloc(0)])
  })
})
