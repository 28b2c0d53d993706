import { inviteMail } from './invite-mail'

test('an invite tells the world and links to the portal', () => {
  const mail = inviteMail('Ann@example.org', 'https://worlds.example/account/', 'Aethel')
  expect(mail.to).toBe('Ann@example.org')
  expect(mail.text).toContain('"Aethel"')
  expect(mail.text).toContain('\nhttps://worlds.example/account/invites\n')
})

test('the name of a world stays within its line', () => {
  const { text } = inviteMail('ann@example.org', 'https://worlds.example', 'A\r\nB\u2028C')
  expect(text).toContain('"A B C"')
})
