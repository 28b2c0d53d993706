import { categories } from './registry'

const all = [...categories.values()]

describe('the registry', () => {
  it('has 22 categories and 356 fields', () => {
    expect(categories.size).toBe(22)
    expect(all.flatMap(({ fields }) => fields)).toHaveLength(356)
  })

  it('links only to categories that exist', () => {
    for (const { fields } of all) {
      for (const { target } of fields) if (target !== null) expect(categories.has(target)).toBe(true)
    }
  })

  it('filters six categories by their characters', () => {
    const addressed = all.filter(({ filters }) => filters.includes('characters')).map(({ slug }) => slug)
    expect(addressed.sort()).toEqual(['collective', 'construct', 'event', 'narrative', 'relation', 'title'])
  })

  it('knows no category by the name of an object’s own property', () => {
    for (const slug of ['constructor', '__proto__', 'toString', 'characters']) expect(categories.has(slug)).toBe(false)
  })

  it('reads kinds and advisory bounds', () => {
    const character = categories.get('character')
    expect(character?.writable.get('location')).toMatchObject({ kind: 'single_link', target: 'location' })
    expect(character?.writable.get('friends')).toMatchObject({ kind: 'multi_link', target: 'character' })
    expect(character?.writable.get('level')).toMatchObject({ kind: 'integer' })
    expect(categories.get('pin')?.fields.map(({ kind }) => kind)).toEqual([
      'single_link',
      'generic_type',
      'generic_id',
      'integer',
      'integer',
      'integer',
    ])
  })
})
