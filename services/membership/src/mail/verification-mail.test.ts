import { verificationMail } from './verification-mail'

test.each(['https://worlds.example/account', 'https://worlds.example/account/'])('a mail links to %s', (portal) => {
  const mail = verificationMail('Ann@example.org', portal, 'ow_e_secret', '2026-07-18T11:09:57.922094+00:00')
  expect(mail.to).toBe('Ann@example.org')
  expect(mail.text).toContain('\nhttps://worlds.example/account/verify#token=ow_e_secret\n')
  expect(mail.text).toContain('until 2026-07-18 11:09 UTC')
})
