import { linksOf } from '@worlds/domain/element-body'
import { categories } from '@worlds/domain/registry'
import { itemText } from './item'
import { sampleItems } from './sample'

const world = '00000000-0000-7000-8000-000000000001'
const items = sampleItems(world, 2_000, 1)

describe('sampleItems', () => {
  it('makes the same bytes for the same seed and others for another', () => {
    const text = (seed: number) => sampleItems(world, 100, seed).map(itemText).join('\n')
    expect(text(1)).toBe(text(1))
    expect(text(2)).not.toBe(text(1))
  })

  it('has every category and sets every field of each somewhere', () => {
    const set = new Set(items.flatMap(({ type, members }) => [...members.keys()].map((name) => `${type}.${name}`)))
    const wanted = [...categories.values()].flatMap(({ slug, fields }) => fields.map(({ name }) => `${slug}.${name}`))
    expect(wanted.filter((name) => !set.has(name))).toEqual([])
  })

  it('links only to elements of its own, of the category that the field takes', () => {
    const types = new Map(items.map(({ id, type }) => [id, type]))
    for (const { type, members } of items) {
      const category = categories.get(type)
      if (category === undefined) throw new Error(`${type} is no category`)
      for (const { field, target } of linksOf(category, new Map(members))) {
        const wanted = category.links.get(field)?.target ?? JSON.parse(members.get('element_type') ?? 'null')
        expect(types.get(target)).toBe(wanted)
      }
    }
  })

  it('gives every element an id of its own, another in another world', () => {
    const ids = new Set([...items, ...sampleItems(`${world}x`, 2_000, 1)].map(({ id }) => id))
    expect(ids.size).toBe(4_000)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})
