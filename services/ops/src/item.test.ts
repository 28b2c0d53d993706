import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Item, itemText, linksOfItem, withoutLinks } from './item'
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
