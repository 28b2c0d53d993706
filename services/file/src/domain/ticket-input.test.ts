import { RefusalError } from '@worlds/domain/errors'
import { cleanName, readTicketInput } from './ticket-input'

const good = { name: 'a.txt', kind: 'txt', size: 1 }
const read = (body: unknown) => readTicketInput(Buffer.from(JSON.stringify(body)))

function paramOf(body: unknown): string | null {
  try {
    read(body)
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.param
    throw error
  }
  throw new Error('it was taken')
}

describe('the body of a file ticket', () => {
  it.each([
    ['a/b/c.txt', 'c.txt'],
    ['a\\b\\c.txt', 'c.txt'],
    ['..\\..\\a.txt', 'a.txt'],
    ['a\u0007b\tc\u0085.txt', 'abc.txt'],
    ['a\u202Etxt.exe\u2069.txt', 'atxt.exe.txt'],
    ['  a \u00a0  b.txt ', 'a b.txt'],
    ['ＡＢ 燈.txt', 'ＡＢ 燈.txt'],
  ])('cleans %j to %j', (name, clean) => {
    expect(cleanName(name)).toBe(clean)
    expect(read({ ...good, name }).name).toBe(clean)
  })

  it.each([
    ['markdown', 'md', 'a.markdown'],
    ['yml', 'yaml', 'a.yml'],
    ['capitals', 'pdf', 'A.PDF'],
    ['two endings', 'txt', 'a.zip.txt'],
    ['255 units', 'txt', `${'a'.repeat(251)}.txt`],
    ['an emoji of two units', 'txt', `${'😀'.repeat(125)}a.txt`],
  ])('takes a name with %s', (_what, kind, name) => {
    expect(read({ ...good, kind, name })).toEqual({ name, kind, size: 1, label: null })
  })

  it.each([
    ['name', { ...good, name: 5 }],
    ['name', { ...good, name: '.txt' }],
    ['name', { ...good, name: 'a/.txt' }],
    ['name', { ...good, name: 'txt' }],
    ['name', { ...good, name: 'a.txt/' }],
    ['name', { ...good, name: 'a.pdf' }],
    ['name', { ...good, name: `${'a'.repeat(252)}.txt` }],
    ['name', { ...good, name: '\ud800.txt' }],
    ['name', { kind: 'txt', size: 1 }],
    ['kind', { ...good, kind: 'exe' }],
    ['kind', { ...good, kind: 'TXT' }],
    ['kind', { ...good, kind: 'constructor' }],
    ['kind', { name: 'a.txt', size: 1 }],
    ['size', { ...good, size: '5' }],
    ['size', { ...good, size: 0 }],
    ['size', { ...good, size: 1.5 }],
    ['size', { ...good, size: -1 }],
    ['size', { ...good, size: 2 ** 53 }],
    ['size', { name: 'a.txt', kind: 'txt' }],
    ['label', { ...good, label: 5 }],
    ['label', { ...good, label: 'x'.repeat(81) }],
    ['label', { ...good, label: '\udfff' }],
    ['extra', { ...good, extra: 1 }],
    [null, [good]],
    [null, 'text'],
  ])('refuses a fault of %s in %j', (param, body) => {
    expect(paramOf(body)).toBe(param)
  })

  it.each([
    ['', null],
    [null, null],
    ['😀'.repeat(80), '😀'.repeat(80)],
  ])('reads the label %j as %j', (label, read_) => {
    expect(read({ ...good, label }).label).toBe(read_)
  })
})
