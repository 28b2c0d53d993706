import { invalid, RefusalError } from '@worlds/domain/errors'

export interface Email {
  readonly address: string
  /** Emails with equal folds are the same email. */
  readonly folded: string
}

/**
 * Leaves it to a mail to show whether anybody reads there; only what can't be an email is refused. One with angle
 * brackets can't: mailers take them out, and the mail would go to another address than the one it verifies.
 */
export function readEmail(sent: string, field = 'email'): Email {
  if (sent.length <= 254 && /^[^\s@<>\p{Cc}]+@[^\s@.<>\p{Cc}]+(\.[^\s@.<>\p{Cc}]+)*$/u.test(sent)) {
    return { address: sent, folded: foldEmail(sent) }
  }
  throw new RefusalError(invalid(field, 'This is not an email address.'))
}

export function foldEmail(email: string): string {
  return email.toLowerCase()
}
