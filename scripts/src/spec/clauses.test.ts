import { clausesNamed, shorten } from './clauses'

// Put in by a template, lest this file itself seems to name clauses.
const aa = 'AA'
const numbered = (...numbers: number[]) => numbers.map((number) => `${aa}-${String(number).padStart(3, '0')}`)

describe('clausesNamed', () => {
  it('finds ids at the start of a name, alone, in a row and in a list', () => {
    const source = `
      it('[${aa}-001] one', …)
      it("[${aa}-002][${aa}-003] two", …)
      it(\`[${aa}-004, ${aa}-005] three \${x}\`, …)
      it.each([['${aa}-006', 1]])('[%s] four', …)
    `
    expect(clausesNamed(source).sort()).toEqual(numbered(1, 2, 3, 4, 5, 6))
  })

  it('leaves ids in running text alone', () => {
    expect(clausesNamed(`// see ${aa}-001\nexpect('after [${aa}-002] nothing')`)).toEqual([])
  })
})

describe('shorten', () => {
  it('joins neighbours', () => {
    expect(shorten(numbered(1, 2, 3, 7, 9, 10))).toBe('001-003 007 009-010')
  })
})
