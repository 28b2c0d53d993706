import type { Mail } from './mailer'

/** `expiresAt` is a timestamp as the API shows it. The token stands behind `#`, so that no server logs it. */
export function verificationMail(to: string, portalUrl: string, token: string, expiresAt: string): Mail {
  const link = `${portalUrl.replace(/\/*$/, '')}/verify#token=${token}`
  const until = `${expiresAt.slice(0, 10)} ${expiresAt.slice(11, 16)}`
  return {
    to,
    subject: 'Confirm your email',
    text: [
      'Somebody, you we hope, gave this email for an account of the World Data Service.',
      `Confirm it by this link, which works once, until ${until} UTC:`,
      link,
      'If it was not you, leave this mail be: nothing happens without the link.',
      '',
    ].join('\n\n'),
  }
}
