import { categories } from '@worlds/domain/registry'
import { type System, startSystem } from '@worlds/testkit/system'
import {
  type Body,
  categoryOf,
  emptyFields,
  expectBody,
  expectRefusal,
  filledFields,
  newOwner,
  type Owner,
  timestampForm,
  uuidForm,
} from './support'

const groups = [
  ['EL-006', 'Entities', ['character', 'creature', 'species', 'family', 'collective']],
  ['EL-007', 'Places', ['location', 'zone', 'construct', 'map', 'pin', 'marker']],
  ['EL-008', 'Concepts', ['ability', 'trait', 'title', 'language', 'law', 'institution']],
  ['EL-009', 'Content', ['event', 'narrative', 'object', 'phenomenon', 'relation']],
] as const
const slugs = groups.flatMap(([, , members]) => [...members])
const plurals = slugs.map((slug) =>
  slug === 'species' ? 'specieses' : slug === 'phenomenon' ? 'phenomena' : `${slug.replace(/y$/, 'ie')}s`,
)

let system: System
let own: Owner
/** An element of each category, to link to. */
const targets = new Map<string, string>()

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  for (const slug of slugs) targets.set(slug, (await own.make(slug, { name: 'Target' })).id)
})
afterAll(() => system.stop())

const server = {
  created_at: expect.stringMatching(timestampForm),
  updated_at: expect.stringMatching(timestampForm),
  change_seq: expect.any(Number),
  created_by: null,
}

describe('the categories', () => {
  describe.each(groups)('[%s] %s', (id, _group, members) => {
    it.each(members)(`[${id}] %s is served as a list`, async (slug) => {
      const { status, body } = await own.get(`/api/v2/${slug}`)
      expect(status).toBe(200)
      expect(body.data.map((element: Body) => element.id)).toContain(targets.get(slug))
    })
  })

  it('[EL-010] are exactly 22', () => {
    expect([...categories.keys()].sort()).toEqual([...slugs].sort())
  })

  it.each(['dragon', 'Character', 'CHARACTER', 'note', 'player', 'element'])(
    '[EL-010] %s is none of them: an unmatched route',
    async (slug) => {
      expectRefusal(await own.get(`/api/v2/${slug}`), 404, 'not_found', null)
      expectRefusal(await own.post(`/api/v2/${slug}`, { name: 'A' }), 404, 'not_found', null)
    },
  )

  it.each(plurals)('[EL-005] the plural %s is an unmatched route', async (plural) => {
    expectRefusal(await own.get(`/api/v2/${plural}`), 404, 'not_found', null)
  })
})

describe.each(slugs)('%s', (slug) => {
  it('[EL-039][EL-012][EL-033] a create answers every field of the category, empty where nothing was sent', async () => {
    const reply = await own.post(`/api/v2/${slug}`, { name: 'Bare' })
    expect(reply.status).toBe(201)
    const base = { description: '', supertype: '', subtype: '', image_url: '' }
    expect(reply.body).toEqual({
      type: slug,
      id: expect.stringMatching(uuidForm),
      name: 'Bare',
      ...base,
      ...emptyFields(slug),
      ...server,
    })
    expect(await own.read(slug, reply.body.id)).toEqual(reply.body)
  })

  it('[EL-033][EL-030][LK-001] every field of the category is kept as it was written', async () => {
    const sent = { name: 'Full', ...filledFields(slug, targets) }
    const made = await own.make(slug, sent)
    expect(made).toMatchObject(sent)
    expect(await own.read(slug, made.id)).toEqual(made)
    const page = expectBody(await own.get(`/api/v2/${slug}?name=Full`), 200)
    expect(page.data).toEqual([made])
  })

  it('[EL-011][EL-032] keys come in the order of the body: base, own fields, extensions, server fields', async () => {
    const reply = await own.post(`/api/v2/${slug}`, {
      x_b: 1,
      ...filledFields(slug, targets),
      tool_a: 2,
      name: 'Ordered',
    })
    const fields = categoryOf(slug).fields.map(({ name }) => name)
    const base = ['type', 'id', 'name', 'description', 'supertype', 'subtype', 'image_url']
    const last = ['created_at', 'updated_at', 'change_seq', 'created_by']
    expect(Object.keys(reply.body)).toEqual([...base, ...fields, 'x_b', 'tool_a', ...last])
    expect(reply.text).toMatch(/^\{\s*"type"/)
  })

  it('[LK-005] no field but the link of a pin ends with _id or _ids', () => {
    const suffixed = categoryOf(slug).fields.filter(({ name }) => /_ids?$/.test(name))
    expect(suffixed.map(({ name }) => name)).toEqual(slug === 'pin' ? ['element_id'] : [])
  })

  it('[EL-004] an element read under another category is missing', async () => {
    const other = slug === 'law' ? 'event' : 'law'
    const path = `/api/v2/${other}/${targets.get(slug)}`
    expectRefusal(await own.get(path), 404, 'not_found', null)
    expectRefusal(await own.patch(path, { name: 'B' }), 404, 'not_found', null)
    expect((await own.delete(path)).status).toBe(204)
    expect((await own.read(slug, targets.get(slug) ?? '')).name).toBe('Target')
  })
})
