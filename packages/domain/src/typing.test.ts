import { categories } from './registry'
import { typingOf } from './typing'

describe('suggested typings', () => {
  it('are of categories that exist, without doubles', () => {
    const all = [...categories.keys()].map((slug) => [slug, typingOf(slug)] as const)
    expect(all.filter(([, typing]) => typing.size === 0).map(([slug]) => slug)).toEqual(['map'])
    for (const [, typing] of all) {
      for (const [supertype, subtypes] of typing) {
        expect(supertype).toMatch(/^[A-Z]\w*$/)
        expect(new Set(subtypes).size).toBe(subtypes.length)
      }
    }
  })

  it('are read from their notation', () => {
    expect([...typingOf('zone').keys()]).toEqual(['Line', 'Polygon'])
    expect(typingOf('location').get('Biome')?.slice(0, 2)).toEqual(['Desert', 'Forest'])
    expect(typingOf('nothing').size).toBe(0)
  })
})
