import fc from 'fast-check'
import { Slabs } from './slabs'

const slab = 1 << 18
const mebibyte = 1 << 20

function fill(slabs: Slabs, chunks: readonly Buffer[]) {
  const slot = slabs.take(Buffer.concat(chunks).length)
  for (const chunk of chunks) slot?.add(chunk)
  return slot
}

describe('memory for bodies', () => {
  it('holds what came, however it was cut, while others come and go', () => {
    const chunk = fc.oneof(
      fc.uint8Array({ maxLength: 9 }),
      fc
        .tuple(fc.integer({ min: 1, max: 2 * slab + 1 }), fc.nat(255))
        .map(([length, byte]) => Buffer.alloc(length, byte)),
    )
    const bodies = fc.array(fc.record({ chunks: fc.array(chunk, { maxLength: 6 }), isAtRest: fc.boolean() }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(bodies, bodies, (kept, passing) => {
        const slabs = new Slabs(512 * mebibyte)
        const taken = kept.map(({ chunks, isAtRest }, index) => {
          const { chunks: others, isAtRest: gone } = passing[index] ?? { chunks: [], isAtRest }
          fill(slabs, others.map(Buffer.from))?.give(gone)
          return { slot: fill(slabs, chunks.map(Buffer.from)), body: Buffer.concat(chunks) }
        })
        return taken.every(({ slot, body }) => Buffer.concat(slot?.pieces() ?? []).equals(body))
      }),
      { numRuns: 50 },
    )
  })

  it('is in few pieces, however many came', () => {
    const slot = new Slabs(mebibyte).take(100_000)
    for (let n = 0; n < 100_000; n += 1) slot?.add(Buffer.of(n))
    expect(slot?.pieces().map(({ length }) => length)).toEqual([100_000])
  })

  it('is given out until there is no more, and again once it was given back', () => {
    const slabs = new Slabs(mebibyte)
    const slots = [slabs.take(2 * slab), slabs.take(slab + 1)]
    expect([...slots.map((slot) => slot !== null), slabs.take(1)]).toEqual([true, true, null])
    expect(slabs.take(0)).not.toBeNull()
    slots[1]?.give(false)
    expect(slabs.take(2 * slab)).not.toBeNull()
    expect(slabs.take(1)).toBeNull()
  })

  it.each([
    ['another one while somebody may be reading from the first', false, 'first'],
    ['the same once nobody is', true, 'later'],
  ])('is %s', (_which, isAtRest, found) => {
    const slabs = new Slabs(mebibyte)
    const first = fill(slabs, [Buffer.from('first')])
    const [read] = first?.pieces() ?? []
    first?.give(isAtRest)
    fill(slabs, [Buffer.from('later')])
    expect(read?.toString()).toBe(found)
  })
})
