import type { Log } from '@worlds/runtime/log'
import type { Clients } from '../clients'

/**
 * Reports PIN holders whose PIN is being guessed to membership, which mails their accounts. Nobody waits for it, and its
 * failure changes no answer: the guard asks for it again while guessing goes on.
 */
export class PinNotifier {
  constructor(
    private readonly clients: Pick<Clients, 'reportPinGuessing'>,
    private readonly log: Log,
  ) {}

  notify(pinHolder: string): void {
    this.clients.reportPinGuessing(pinHolder).catch((error: unknown) => {
      this.log.warn({ err: error, pin_holder: pinHolder }, 'report of PIN guessing failed')
    })
  }
}
