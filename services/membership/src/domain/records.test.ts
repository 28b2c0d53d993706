import { accountRecord, keyRow, ownedWorldRows } from './records'

test('an account shows whether it has a PIN, never the digest', () => {
  const account = { id: 'a', name: 'Ann', pinDigest: 'p1:secret', createdAt: 'then' }
  const record = accountRecord(account, [{ email: 'ann@example.org', verified: true }], { used: 7, cap: 1024 })
  expect(record).toEqual({
    id: 'a',
    name: 'Ann',
    emails: [{ email: 'ann@example.org', verified: true }],
    has_pin: true,
    image_bytes_used: 7,
    image_bytes_cap: 1024,
    created_at: 'then',
  })
})

test('a key shows its scope in capitals', () => {
  const token = { id: 'k', name: '', last4: 'abcd', createdAt: 'then', lastUsedAt: null }
  expect(keyRow({ ...token, scope: 'write', membership: null, revoked: false })).toMatchObject({ scope: 'WRITE' })
})

test('worlds come oldest first, without those that element does not know', () => {
  const worlds = ['a', 'b', 'c', 'd'].map((id) => ({ id, publicRead: id === 'c' }))
  const facts = new Map([
    ['a', { name: 'A', created_at: '2026-02', updated_at: '2026-03' }],
    ['c', { name: 'C', created_at: '2026-01', updated_at: '2026-01' }],
    ['d', { name: 'D', created_at: '2026-01', updated_at: '2026-01' }],
  ])
  const rows = ownedWorldRows(worlds, facts)
  expect(rows.map((row) => [row.id, row.public_read])).toEqual([
    ['c', true],
    ['d', false],
    ['a', false],
  ])
})
