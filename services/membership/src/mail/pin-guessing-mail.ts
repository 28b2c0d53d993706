import type { Mail } from './mailer'

/** Says nothing that depends on the guesses: neither addresses nor how close they came. */
export function pinGuessingMail(to: string, portalUrl: string): Mail {
  return {
    to,
    subject: 'Somebody is guessing your PIN',
    text: [
      'Many wrong PINs were sent in the last 24 hours for your account of the World Data Service, or for an agent that you sponsor.',
      'None of them was accepted. Where you used the right PIN in the last 24 hours you can go on writing; from other addresses the PIN is refused for a while.',
      'If these were not mistakes of your own, choose a new PIN and revoke the keys that somebody else may have:',
      portalUrl,
      '',
    ].join('\n\n'),
  }
}
