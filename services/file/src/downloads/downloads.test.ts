import fc from 'fast-check'
import { attachment } from './disposition'
import { DownloadLinks } from './links'
import { readRange } from './range'

const links = new DownloadLinks('https://files.example', [{ id: 'l1', secret: 'x'.repeat(32) }], 300_000)

describe('a download link', () => {
  const key = 'w/world/element/file.txt'
  const parts = (name: string) => {
    const url = new URL(links.make(key, name).url)
    return { key: url.pathname.slice(1), query: url.searchParams }
  }

  it('is judged good as it was made, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const made = parts(name)
        expect(links.judge(made.key, made.query)).toEqual({ name })
      }),
    )
  })

  it.each(['name', 'exp', 'sig'])('is no link any longer when its %s is another', (part) => {
    const made = parts('a.txt')
    made.query.set(part, part === 'exp' ? String(Number(made.query.get('exp')) + 1) : 'b')
    expect(links.judge(made.key, made.query)).toEqual({ fault: 'link_invalid' })
    made.query.delete(part)
    expect(links.judge(made.key, made.query)).toEqual({ fault: 'link_invalid' })
  })

  it('is for one key', () => {
    expect(links.judge('w/world/element/other.txt', parts('a').query)).toEqual({ fault: 'link_invalid' })
  })

  it('ends', () => {
    const brief = new DownloadLinks('https://files.example', [{ id: 'l1', secret: 'x'.repeat(32) }], -1_000)
    const { searchParams } = new URL(brief.make(key, 'a').url)
    expect(brief.judge(key, searchParams)).toEqual({ fault: 'link_expired' })
  })
})

describe('the name of an attachment', () => {
  it.each([
    ['notes.txt', `attachment; filename="notes.txt"; filename*=UTF-8''notes.txt`],
    ['a "b" \\c%.txt', `attachment; filename="a _b_ _c_.txt"; filename*=UTF-8''a%20%22b%22%20%5Cc%25.txt`],
    ['Ívën.md', `attachment; filename="Iven.md"; filename*=UTF-8''%C3%8Dv%C3%ABn.md`],
    ['燈(1).md', `attachment; filename="_(1).md"; filename*=UTF-8''%E7%87%88%281%29.md`],
  ])('%s', (name, header) => {
    expect(attachment(name)).toBe(header)
  })

  it('is always a header of plain characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => expect(attachment(name)).toMatch(/^[\x20-\x7e]+$/)),
    )
  })
})

describe('a range of ten bytes', () => {
  it.each([
    [undefined, null],
    ['bytes=0-3', { first: 0, last: 3 }],
    ['bytes=4-', { first: 4, last: 9 }],
    ['bytes=8-20', { first: 8, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-20', { first: 0, last: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-2', null],
    ['bytes=0-1,4-5', null],
    ['bytes=-', null],
    ['lines=0-3', null],
    ['bytes=a-b', null],
  ])('%s', (header, range) => {
    expect(readRange(header, 10)).toEqual(range)
  })
})
