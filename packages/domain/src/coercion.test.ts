import fc from 'fast-check'
import { coerce, coerceInteger, coerceText } from './coercion'
import { categories, type Field } from './registry'

const storedOf = (result: ReturnType<typeof coerce>) =>
  'value' in result ? result.value : `refused ${result.refusal.param}`

describe('integers', () => {
  it.each([
    ['7', 7],
    [' 7 ', 7],
    ['-7', -7],
    [7.9, 7],
    [-7.9, -7],
    [-0.4, 0],
    [true, 1],
    [false, 0],
    [null, null],
    [2147483647, 2147483647],
    [-2147483648, -2147483648],
  ])('take %p as %p', (sent, stored) => {
    expect(coerceInteger('level', sent)).toEqual({ value: stored })
  })

  it.each(['', 'x', '7.9', '1e2', '0x10', '99999999999999999999', {}, [], 2147483648, Number.POSITIVE_INFINITY])(
    'refuse %p',
    (sent) => {
      expect(coerceInteger('level', sent)).toMatchObject({ refusal: { code: 'invalid_request', param: 'level' } })
    },
  )

  it('hold to a model: whole numbers in 32 bits, cut toward zero', () => {
    const sent = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.maxSafeInteger().map(String),
      fc.string(),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(sent, (value) => {
        const result = coerceInteger('level', value)
        const number =
          typeof value === 'string'
            ? /^\s*-?\d+\s*$/.test(value)
              ? Number(value)
              : Number.NaN
            : Math.trunc(typeof value === 'object' ? Number.NaN : Number(value))
        const isTaken = value === null || (typeof value !== 'object' && number >= -(2 ** 31) && number < 2 ** 31)
        if (!isTaken) return expect('refusal' in result).toBe(true)
        expect(result).toEqual({ value: value === null ? null : number + 0 })
      }),
      // What JavaScript itself cannot make a number of.
      { examples: [[[{ toString: 0 }]]] },
    )
  })
})

describe('text', () => {
  it.each([
    ['Ann', 'Ann'],
    ['', ''],
    [null, ''],
    [5, '5'],
    [-1.5, '-1.5'],
    [1e21, '1000000000000000000000'],
    [1.5e-7, '0.00000015'],
    [-2e-9, '-0.000000002'],
  ])('takes %p as %p', (sent, stored) => {
    expect(coerceText('description', null, sent)).toEqual({ value: stored })
  })

  it.each([true, {}, [], Number.NaN, 'a\0b', '\ud800'])('refuses %p', (sent) => {
    expect(coerceText('description', null, sent)).toHaveProperty('refusal.param', 'description')
  })

  it('counts code points', () => {
    expect(coerceText('name', 255, '😀'.repeat(255))).toHaveProperty('value')
    expect(coerceText('name', 255, '😀'.repeat(256))).toHaveProperty('refusal')
  })

  it('writes any finite number as digits that read back as that number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const result = coerceText('description', null, number) as { value: string }
        expect(result.value).toMatch(/^-?\d+(\.\d+)?$/)
        expect(Number(result.value) + 0).toBe(number + 0)
      }),
    )
  })
})

describe('links', () => {
  const field = (slug: string, name: string) => categories.get(slug)?.writable.get(name) as Field
  const id = '0B3C9A52-7E1D-4F7A-9C55-0123456789AB'

  it('take ids in any case and store lower case, each once', () => {
    expect(storedOf(coerce(field('character', 'location'), id))).toBe(id.toLowerCase())
    expect(storedOf(coerce(field('character', 'friends'), [id, id.toLowerCase()]))).toEqual([id.toLowerCase()])
  })

  it('clear with null', () => {
    expect(storedOf(coerce(field('character', 'location'), null))).toBeNull()
    expect(storedOf(coerce(field('character', 'friends'), null))).toEqual([])
  })

  it.each([
    ['location', ''],
    ['location', { id }],
    ['location', [id]],
    ['friends', id],
    ['friends', ['x']],
    ['friends', [{ id }]],
  ])('refuse %s: %p', (name, sent) => {
    expect(storedOf(coerce(field('character', name), sent))).toBe(`refused ${name}`)
  })

  it('never store anything but UUIDs', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.uuid(), fc.array(fc.oneof(fc.uuid(), fc.string()))), (sent) => {
        const result = coerce(field('character', 'friends'), sent)
        if ('refusal' in result) return
        for (const item of result.value as string[]) expect(item).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      }),
    )
  })
})
