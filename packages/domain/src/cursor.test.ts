import fc from 'fast-check'
import { decodeFeedCursor, decodeListCursor, encodeFeedCursor, encodeListCursor, type FeedCursor } from './cursor'

const scope = { worldId: 'w', type: 'character', filters: [['name', 'Ann']] as const }

describe('a list cursor', () => {
  it('goes on in the list that it was given for, whatever the order of its filters', () => {
    const two = {
      ...scope,
      filters: [
        ['name', 'Ann'],
        ['subtype', 'Elf'],
      ] as const,
    }
    const turned = {
      ...scope,
      filters: [
        ['subtype', 'Elf'],
        ['name', 'Ann'],
      ] as const,
    }
    expect(decodeListCursor(turned, encodeListCursor(two, 42))).toBe(42)
  })

  it.each([
    ['another world', { ...scope, worldId: 'v' }],
    ['another category', { ...scope, type: 'location' }],
    ['another filter', { ...scope, filters: [] }],
  ])('is none for %s', (_, other) => {
    expect(decodeListCursor(other, encodeListCursor(scope, 42))).toBeNull()
  })
})

const feedCursor: fc.Arbitrary<FeedCursor> = fc.record({
  worldId: fc.uuid(),
  timeline: fc.nat(),
  seq: fc.maxSafeInteger().map(Math.abs),
  id: fc.oneof(fc.uuid(), fc.constant('')),
  view: fc.option(fc.record({ epoch: fc.nat(), membership: fc.uuid() })),
})

describe('a feed cursor', () => {
  it('says what it was made of, with two parts and with three', () => {
    fc.assert(
      fc.property(feedCursor, (cursor) => {
        expect(decodeFeedCursor(encodeFeedCursor(cursor))).toEqual(cursor)
      }),
    )
  })

  it('is none once a character of it is another', () => {
    fc.assert(
      fc.property(feedCursor, fc.nat(), fc.constantFrom(...'AZaz09-_'), (cursor, at, other) => {
        const text = encodeFeedCursor(cursor)
        const index = at % text.length
        fc.pre(text[index] !== other)
        expect(decodeFeedCursor(text.slice(0, index) + other + text.slice(index + 1))).toBeNull()
      }),
    )
  })

  it.each(['1e30', '99999999999999999999', 'NaN', '-5', '1.5', ''])('is none with %s for a place', (place) => {
    const cursor = { worldId: 'w', timeline: 1, seq: place as unknown as number, id: '', view: null }
    expect(decodeFeedCursor(encodeFeedCursor(cursor))).toBeNull()
    expect(decodeListCursor(scope, encodeListCursor(scope, place as unknown as number))).toBeNull()
  })

  it('is none in any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(decodeFeedCursor(text)).toBeNull()))
    expect(decodeFeedCursor(encodeListCursor(scope, 1))).toBeNull()
  })
})
