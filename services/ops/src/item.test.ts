import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Item, itemText, linksOfItem, withNewIds, withoutLinks } from './item'
import { readItems } from './read-items'

const a = '11111111-1111-4111-8111-111111111111'
const b = '22222222-2222-4222-8222-222222222222'

function itemOf(type: string, element: Record<string, unknown>): Item {
  return {
    type,
    id: a,
    members: new Map(Object.entries(element).map(([name, value]) => [name, JSON.stringify(value)])),
  }
}

describe('withoutLinks', () => {
  it('takes targets out of single, multi and generic links and leaves the rest', () => {
    expect(itemText(withoutLinks(itemOf('character', { name: 'N', location: a, friends: [a, b] }), [a]))).toBe(
      `{"type":"character","element":{"name":"N","friends":["${b}"]}}`,
    )
    expect(itemText(withoutLinks(itemOf('pin', { name: 'N', element_type: 'zone', element_id: a }), [a]))).toBe(
      '{"type":"pin","element":{"name":"N"}}',
    )
  })

  it('leaves what no server would take for the server to refuse', () => {
    expect(linksOfItem(itemOf('dragon', { friends: [a] }))).toEqual([])
    expect(linksOfItem(itemOf('character', { friends: { not: 'a list' }, location: 7 }))).toEqual([])
  })
})

describe('readItems', () => {
  it('reads both kinds of lines, plain or zipped, and keeps how numbers are spelled', async () => {
    const lines = [
      `{"type":"character","element":{"name":"N","x_size":1e2}}`,
      `{"op":"upsert","type":"zone","id":"${a}","element":{"type":"zone","id":"${a}","name":"Z","created_at":"t","change_seq":3}}`,
      '',
      `{"op":"delete","type":"zone","id":"${b}","reason":"deleted"}`,
    ].join('\n')
    const dir = await mkdtemp(join(tmpdir(), 'worlds-items-'))
    await writeFile(join(dir, 'plain.ndjson'), lines)
    await writeFile(join(dir, 'zipped.ndjson.gz'), gzipSync(lines))
    for (const name of ['plain.ndjson', 'zipped.ndjson.gz']) {
      const { items, skipped } = await readItems(join(dir, name))
      expect(items.map(itemText)).toEqual([
        '{"type":"character","element":{"name":"N","x_size":1e2}}',
        `{"type":"zone","element":{"id":"${a}","name":"Z"}}`,
      ])
      expect(skipped).toBe(1)
    }
    await writeFile(join(dir, 'bad.ndjson'), '{"type":"zone","element":{}}\n[]')
    await expect(readItems(join(dir, 'bad.ndjson'))).rejects.toThrow('line 2')
    await expect(readItems(join(dir, 'missing.ndjson'))).rejects.toThrow('ENOENT')
    await rm(dir, { recursive: true })
  })
})

describe('withNewIds', () => {
  it('gives ids anew, and lets links of every kind follow', () => {
    const c = '33333333-3333-4333-8333-333333333333'
    const fresh = ['new-1', 'new-2']
    const newId = () => fresh.shift() ?? 'one too many'
    const items = [
      itemOf('location', { id: a, name: 'L', parent_location: a }),
      { ...itemOf('character', { id: b, name: 'C', location: a, friends: [b, c] }), id: b },
      { ...itemOf('pin', { name: 'P', element_type: 'location', element_id: a, x_note: a }), id: undefined },
    ]
    const texts = withNewIds(items, newId).map(itemText)
    expect(texts).toEqual([
      '{"type":"location","element":{"id":"new-1","name":"L","parent_location":"new-1"}}',
      `{"type":"character","element":{"id":"new-2","name":"C","location":"new-1","friends":["new-2","${c}"]}}`,
      `{"type":"pin","element":{"name":"P","element_type":"location","element_id":"new-1","x_note":"${a}"}}`,
    ])
  })
})
