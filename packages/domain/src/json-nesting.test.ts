import fc from 'fast-check'
import { nestingExcess } from './json-nesting'

const depthLimit = 2_000
const partsLimit = 120_000

const excessOf = (text: string) => nestingExcess(Buffer.from(text))
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** Of 2,000 bytes, which alone would be taken unread. */
const long = 'x'.repeat(depthLimit)

describe('the limits on nesting', () => {
  it('let through whatever JSON is within them', () => {
    const value = fc.jsonValue({ maxDepth: 30, noUnicodeString: false })
    fc.assert(
      fc.property(value, (inner) => {
        expect(excessOf(JSON.stringify({ long, inner }))).toBeNull()
        expect(excessOf(JSON.stringify([long, inner], null, 2))).toBeNull()
      }),
      { numRuns: 300 },
    )
  })

  it('hold to the last level and the last container', () => {
    expect(excessOf(nested(depthLimit))).toBeNull()
    expect(excessOf(nested(depthLimit + 1))).toEqual({ member: null })
    const flat = (count: number) => `[${Array(count).fill('{}').join(',')}]`
    expect(excessOf(flat(partsLimit - 1))).toBeNull()
    expect(excessOf(flat(partsLimit))).toEqual({ member: null })
  })

  it('name the member that exceeds them', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 90 }).filter((text) => !JSON.stringify(text).includes('\\'))
    fc.assert(
      fc.property(name, fc.string(), fc.integer({ min: 0, max: 50 }), (member, before, more) => {
        const text = `{${JSON.stringify(`_${before}`)}:${JSON.stringify(before)},"n":[{"m":1}],${JSON.stringify(member)}:${nested(depthLimit + more)}}`
        expect(excessOf(text)).toEqual({ member })
      }),
    )
    expect(excessOf(`{"${'n'.repeat(500)}":${nested(depthLimit)}}`)).toEqual({ member: null })
  })

  it('look past brackets and escapes inside texts', () => {
    const unit = fc.constantFrom('{', '[', ']', '}', '"', '\\', '\\"', 'ä', '😀')
    const text = fc.array(unit, { maxLength: 400 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
        const members = Object.fromEntries(texts.map((one) => [one, '[{'.repeat(depthLimit) + one]))
        expect(excessOf(JSON.stringify({ long, ...members }))).toBeNull()
        expect(excessOf(`{"t":${JSON.stringify(texts)},"deep":${nested(depthLimit)}}`)).toEqual({ member: 'deep' })
      }),
      { numRuns: 200 },
    )
  })

  it('judge any bytes without a fault', () => {
    const byte = fc.oneof(fc.constantFrom(0x22, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d), fc.integer({ min: 0, max: 255 }))
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 })
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 64 }), bytes, fc.nat(400), (some, others, times) => {
        const body = Buffer.concat([...Array(times).fill(Buffer.from(some)), others])
        expect(() => nestingExcess(body)).not.toThrow()
        expect(() => nestingExcess(Buffer.concat([Buffer.from('{"a'), body, Buffer.from(nested(2_001))]))).not.toThrow()
      }),
      { numRuns: 300 },
    )
  })
})
