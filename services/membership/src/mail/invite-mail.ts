import type { Mail } from './mailer'

/** Needs no secret: the invite waits for whoever has verified this email. */
export function inviteMail(to: string, portalUrl: string, worldName: string): Mail {
  // A name may hold line breaks, which in a mail would speak for us.
  const name = worldName.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  return {
    to,
    subject: 'You are invited into a world',
    text: [
      `You are invited to join the world "${name}" of the World Data Service.`,
      'Sign in, or sign up with this email, to accept or refuse:',
      `${portalUrl.replace(/\/*$/, '')}/invites`,
      'If you expected nothing of the kind, leave this mail be.',
      '',
    ].join('\n\n'),
  }
}
