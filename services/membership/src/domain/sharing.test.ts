import { envOf, inviteRow, linkRow, nextSteps, receivedInviteRow } from './sharing'

const invite = { id: 'i', email: 'ann@example.org', role: 'guest', createdAt: 'then' } as const

test('an invite shows its world to whom it is addressed', () => {
  expect(inviteRow(invite)).toEqual({ id: 'i', email: 'ann@example.org', role: 'guest', created_at: 'then' })
  expect(receivedInviteRow({ ...invite, worldId: 'w' }, 'Aethel')).toEqual({
    ...inviteRow(invite),
    world: { id: 'w', name: 'Aethel' },
  })
})

test('a link shows its label and how it stands', () => {
  const link = {
    id: 'l',
    reader: 'agent',
    role: 'guest',
    name: 'For Ann',
    expiresAt: 'soon',
    createdAt: 'then',
    withCharacter: true,
    status: 'open',
  } as const
  expect(linkRow(link)).toEqual({
    id: 'l',
    reader: 'agent',
    role: 'guest',
    name: 'For Ann',
    expires_at: 'soon',
    status: 'open',
    created_at: 'then',
  })
})

test('an environment has every line, empty ones too', () => {
  const entry = { key: 'ow_r_k', pin: null, worldId: 'w', character: null }
  expect(envOf(entry, 'https://api')).toBe(
    'OW_API_KEY=ow_r_k\nOW_API_PIN=\nOW_WORLD=w\nOW_CHARACTER=\nOW_API_BASE=https://api',
  )
  expect(
    envOf({ ...entry, pin: 'ow_s_p', character: 'c' }, 'x')
      .split('\n')
      .slice(1, 4),
  ).toEqual(['OW_API_PIN=ow_s_p', 'OW_WORLD=w', 'OW_CHARACTER=c'])
})

test('who has a pin is told what it is for', () => {
  expect(nextSteps('ow_s_p', 'https://api').join()).toContain('API-Pin')
  expect(nextSteps(null, 'https://api').join()).not.toContain('API-Pin')
})
