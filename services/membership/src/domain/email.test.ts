import { readEmail } from './email'

test('an email keeps its spelling and is compared without case', () => {
  expect(readEmail('Ann@Example.ORG')).toEqual({ address: 'Ann@Example.ORG', folded: 'ann@example.org' })
  expect(readEmail('ops@localhost').address).toBe('ops@localhost')
})

test('what can be no email is refused', () => {
  const long = `${'a'.repeat(250)}@b.org`
  for (const sent of [
    '',
    'ann',
    '@b.org',
    'ann@',
    'a@b@c',
    'a b@c.org',
    'a@b..org',
    'a@.org',
    'a\0@b.org',
    'a<b@c.org',
    'a@b.org>',
    long,
  ]) {
    expect(() => readEmail(sent)).toThrow('not an email')
  }
})
