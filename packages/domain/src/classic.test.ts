import fc from 'fast-check'
import { ClassicView, classicName, classicParam, fromClassicName } from './classic'
import { writeBody } from './element-body'
import { readElementInput } from './element-input'
import { RefusalError } from './errors'
import { type Category, categories, type Field } from './registry'

const world = '01980000-0000-7000-8000-0000000000ff'
const id = '01980000-0000-7000-8000-000000000001'
const server = {
  created_at: '2026-01-01T00:00:00.000000+00:00',
  updated_at: '2026-01-02T00:00:00.000000+00:00',
  change_seq: 7,
  created_by: null,
}
const tail = `,${JSON.stringify(server).slice(1)}`

const text = fc.string({ unit: 'grapheme' })

/** A value of a field as it is stored. */
function storedOf({ kind }: Field): fc.Arbitrary<unknown> {
  if (kind === 'integer') return fc.option(fc.integer())
  if (kind === 'single_link' || kind === 'generic_id') return fc.option(fc.uuid())
  if (kind === 'multi_link') return fc.uniqueArray(fc.uuid(), { maxLength: 4 })
  return text
}

/** A category, an element's members by name, and extension fields that look like a body's own. */
const elements = fc.constantFrom(...categories.values()).chain((category) =>
  fc.record({
    category: fc.constant(category),
    members: fc.record(
      Object.fromEntries([...category.writable.values()].map((field) => [field.name, storedOf(field)])),
    ),
    extensions: fc.dictionary(
      text.map((name) => `x_${name}`),
      fc.jsonValue(),
      { maxKeys: 3 },
    ),
  }),
)

function bodyOf(category: Category, members: Record<string, unknown>): string {
  const raw = new Map(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]))
  return writeBody(category, id, raw) + tail
}

describe('a classic body', () => {
  it('shows what the other dialect can say, links as the stubs there are', () => {
    fc.assert(
      fc.property(elements, ({ category, members, extensions }) => {
        const full = {
          ...members,
          ...extensions,
          x_nested: { created_at: '","created_at":"', change_seq: [',"change_seq":'] },
        }
        const body = bodyOf(category, full)
        const linked = [...category.links.keys()].flatMap((name) => (members[name] as string[] | string | null) ?? [])
        const view = new ClassicView(category, body)
        expect(view.linkedIds()).toEqual(linked)

        const gone = linked[0]
        const stubs = new Map(linked.filter((one) => one !== gone).map((one) => [one, `{"id":"${one}"}`]))
        const shown = JSON.parse(view.show(world, stubs))
        const { name, description, ...rest } = members
        const links = [...category.links.values()].map(({ name, kind }) => {
          const ids = [members[name] ?? []].flat().filter((one) => one !== gone)
          return [name, kind === 'multi_link' ? ids.map((id) => ({ id })) : ids.length === 0 ? null : { id: ids[0] }]
        })
        const { created_at, updated_at } = server
        expect(shown).toEqual({
          id,
          name,
          description,
          world,
          ...rest,
          ...Object.fromEntries(links),
          created_at,
          updated_at,
        })
      }),
    )
  })
})

describe('what is written in the classic dialect', () => {
  const character = categories.get('character') as Category
  const rules = { requireName: true, readId: true, extensionPrefixes: ['x_'] }
  const refusalOf = (body: unknown) => {
    try {
      const nameOf = (sent: string) => fromClassicName(character, sent)
      return readElementInput(character, body, () => JSON.stringify(body), { ...rules, nameOf })
    } catch (error) {
      return error instanceof RefusalError ? error.refusal : error
    }
  }

  it('names every field of every category once', () => {
    for (const category of categories.values()) {
      const names = [...category.writable.values()].map(classicName)
      expect(new Set(names).size).toBe(names.length)
      expect(names.map((name) => fromClassicName(category, name))).toEqual([...category.writable.keys()])
      for (const [name, field] of category.writable) expect(classicParam(category, name)).toBe(classicName(field))
    }
  })

  it.each(['world', 'type', 'friends', 'location', 'x_note', 'change_seq', 'created_at', 'toString', '__proto__'])(
    'is refused for %s',
    (name) => {
      const body = JSON.parse(`{"name":"A",${JSON.stringify(name)}:null}`)
      expect(refusalOf(body)).toMatchObject({ code: 'invalid_request', param: name })
    },
  )

  it('is refused for its first fault, an unknown name or a value', () => {
    expect(refusalOf({ name: 'A', level: 'x', foo: 1 })).toMatchObject({ param: 'level' })
    expect(refusalOf({ name: 'A', foo: 1, level: 'x' })).toMatchObject({ param: 'foo' })
    expect(refusalOf({ level: 'x' })).toMatchObject({ param: 'level' })
  })

  it('tells how a bare link is written', () => {
    expect(refusalOf({ friends: [] })).toMatchObject({ message: expect.stringContaining('friends_ids') })
    expect(refusalOf({ location: null })).toMatchObject({ message: expect.stringContaining('location_id') })
  })
})
