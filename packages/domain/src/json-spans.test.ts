import fc from 'fast-check'
import { scanItems, scanMembers } from './json-spans'

describe('scanMembers', () => {
  it('keeps what was written and takes white space out', () => {
    const members = scanMembers('{ "a" : 1e2 , "b":[ -0, "x y" ,{"c" : 1.10}], "d":null,"a\\"q":"\\\\"}')
    expect([...members]).toEqual([
      ['a', '1e2'],
      ['b', '[-0,"x y",{"c":1.10}]'],
      ['d', 'null'],
      ['a"q', '"\\\\"'],
    ])
  })

  it('lets the last of two equal keys win', () => {
    expect([...scanMembers('{"a":1,"b":2,"a":3}')]).toEqual([
      ['a', '3'],
      ['b', '2'],
    ])
  })

  it('agrees with JSON.parse on any object, however it is spaced', () => {
    const spacing = fc.constantFrom(undefined, 1, 4, '\t', '\r\n ')
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spacing, (object, space) => {
        const text = JSON.stringify(object, null, space)
        const members = scanMembers(text)
        expect([...members.keys()].sort()).toEqual(Object.keys(object).sort())
        for (const [name, raw] of members) expect(JSON.parse(raw)).toEqual(JSON.parse(JSON.stringify(object[name])))
      }),
    )
  })
})

describe('scanItems', () => {
  it('agrees with JSON.parse on any array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2), (items, space) => {
        const raw = scanItems(JSON.stringify(items, null, space))
        expect(raw.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(items)))
      }),
    )
  })
})
