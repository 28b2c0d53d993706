import fc from 'fast-check'
import { cutPage, pageBytes } from './page'

const rowsOf = (sizes: readonly number[]) => sizes.map((size) => ({ size }))

describe('cutPage', () => {
  it('shows a row larger than a page alone', () => {
    const rows = rowsOf([pageBytes + 1, 1])
    expect(cutPage(rows, 100)).toEqual({ items: rows.slice(0, 1), hasMore: true })
  })

  it('ends before the row that would exceed the page', () => {
    const rows = rowsOf([pageBytes - 20, 10, 10, 1])
    expect(cutPage(rows, 100)).toEqual({ items: rows.slice(0, 3), hasMore: true })
  })

  it('says that there is more exactly when a row is left', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(pageBytes), { maxLength: 12 }), fc.integer({ min: 1, max: 12 }), (sizes, limit) => {
        const cut = cutPage(rowsOf(sizes), limit)
        expect(cut.items.length).toBeLessThanOrEqual(limit)
        expect(cut.hasMore).toBe(cut.items.length < sizes.length)
        if (sizes.length > 0) expect(cut.items.length).toBeGreaterThan(0)
      }),
    )
  })
})
