import { objectionTo } from './missing-rows'

describe('a repair of rows without bytes', () => {
  it.each([
    [0, 0],
    [5, 0],
    [100, 1],
    [10_000, 100],
    [1_000_000, 100],
  ])('of %i rows may remove %i', (rows, missing) => {
    expect(objectionTo({ rows, missing }, undefined)).toBeNull()
  })

  it.each([
    [1, 1],
    [99, 1],
    [100, 2],
    [10_000, 101],
    [1_000_000, 101],
  ])('of %i rows does not remove %i unless that number is accepted', (rows, missing) => {
    expect(objectionTo({ rows, missing }, undefined)).toContain(`--accept-missing ${missing}`)
    expect(objectionTo({ rows, missing }, missing)).toBeNull()
    for (const other of [0, missing - 1, missing + 1]) {
      expect(objectionTo({ rows, missing }, other)).toContain('nothing was removed')
    }
  })

  it('does not remove a few where another number was accepted', () => {
    expect(objectionTo({ rows: 1_000, missing: 1 }, 2)).toContain('names another number')
  })
})
