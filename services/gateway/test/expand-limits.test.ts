/** Elements whose linked stubs would make a reply too large. */
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'

const shownLimit = 8 << 20

/** Of an image's URL: the longest that a stub takes. */
const urlLength = 1_024

let system: System
let own: Owner
/** Whose stubs take about 6 KB each: about 1,350 of them fit into a reply. */
let characters: string[]
/** Narratives that name so many of them, in this order. */
const counts = [1_300, 700, 10, 2_600, 1]
let narratives: string[]

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  const [name, typing] = ['😀'.repeat(255), '😀'.repeat(128)]
  const image_url = `http://example.org/${'😀'.repeat(urlLength - 19)}`
  const element = { name, supertype: typing, subtype: typing, image_url }
  characters = []
  while (characters.length < 2_600) characters.push(...(await own.seed('character', Array(260).fill(element))))
  narratives = []
  for (const count of counts) {
    narratives.push((await own.make('narrative', { name: `${count}`, characters: characters.slice(0, count) })).id)
  }
})
afterAll(() => system.stop())

const pathOf = (index: number) => `/api/v2/narrative/${narratives[index]}`
const stubsOf = ({ characters: stubs }: Body) => stubs.map(({ id }: Body) => id)
const wanted = (count: number) => characters.slice(0, count)

describe('one element with links expanded', () => {
  it('[LS-001][EL-037] is shown with stubs up to the limit', async () => {
    for (const index of [0, 2]) {
      const reply = await own.get(`${pathOf(index)}?expand=characters`)
      expect(stubsOf(expectBody(reply, 200))).toEqual(wanted(counts[index] ?? 0))
    }
  })

  it('is 422 beyond it, naming `expand`, and reads without it', async () => {
    for (const query of ['expand=characters', 'expand=characters&fields=characters']) {
      expectRefusal(await own.get(`${pathOf(3)}?${query}`), 422, 'invalid_request', 'expand')
    }
    // What is not shown is not expanded.
    const named = expectBody(await own.get(`${pathOf(3)}?expand=characters&fields=name`), 200)
    expect(named.name).toBe('2600')
    expect(expectBody(await own.get(pathOf(3)), 200).characters).toEqual(characters)
  })
})

describe('a list with links expanded', () => {
  it('[LS-006][LS-007] ends its page before the element that would exceed the limit', async () => {
    const pages: number[] = []
    let cursor = ''
    let path = ''
    for (let seen = 0; seen < 3; ) {
      path = `/api/v2/narrative?expand=characters${cursor}`
      const reply = await own.get(path)
      const page = expectBody(reply, 200)
      expect(Buffer.byteLength(reply.text)).toBeLessThan(shownLimit + 100_000)
      expect([page.has_more, page.data.length > 0]).toEqual([true, true])
      for (const row of page.data) {
        expect(row.id).toBe(narratives[seen])
        expect(stubsOf(row)).toEqual(wanted(counts[seen] ?? 0))
        seen += 1
      }
      pages.push(page.data.length)
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
    }
    expect(pages).toEqual([1, 2])
    // The next element alone exceeds it.
    expectRefusal(await own.get(`/api/v2/narrative?expand=characters${cursor}`), 422, 'invalid_request', 'expand')
    const plain = expectBody(await own.get(`/api/v2/narrative?limit=1000${cursor}`), 200)
    expect([plain.data.map(({ id }: Body) => id), plain.has_more]).toEqual([narratives.slice(3), false])
  })
})

describe('the classic dialect', () => {
  const pathOfClassic = (index: number) => `/api/worldapi/narrative/${narratives[index]}/`
  const ids = () => characters.map((id) => ({ id }))

  it('[CL-005][CL-017] shows an element with stubs, and with ids alone where they would be too large', async () => {
    expect(stubsOf(expectBody(await own.get(pathOfClassic(0)), 200))).toEqual(wanted(counts[0] ?? 0))
    const large = expectBody(await own.get(pathOfClassic(3)), 200)
    expect([large.name, large.characters]).toEqual(['2600', ids()])
  })

  it('[CL-003] lists all of them so', async () => {
    const rows = expectBody(await own.get('/api/worldapi/narrative/'), 200)
    expect(rows.map(({ id }: Body) => id)).toEqual(narratives)
    for (const [index, row] of rows.entries()) {
      if (index === 3) expect(row.characters).toEqual(ids())
      else expect(stubsOf(row)).toEqual(wanted(counts[index] ?? 0))
    }
  })

  it('[VR-001] writes the same element as the current one', async () => {
    const renamed = expectBody(await own.patch(pathOfClassic(3), { name: 'Renamed' }), 200)
    expect(renamed.characters).toEqual(ids())
    expect(await own.read('narrative', narratives[3] as string)).toMatchObject({ name: 'Renamed', characters })
    expectBody(await own.patch(pathOf(3), { name: '5', characters: characters.slice(0, 2) }), 200)
    const small = expectBody(await own.get(pathOfClassic(3)), 200)
    expect([small.name, stubsOf(small)]).toEqual(['5', wanted(2)])
  })
})
