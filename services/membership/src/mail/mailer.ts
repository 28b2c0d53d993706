import type { Log } from '@worlds/runtime/log'
import type { Database } from '@worlds/runtime/postgres'
import { createTransport } from 'nodemailer'
import { insertSentMail } from '../store/sent-mails'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface MailConfig {
  /** Empty: mails are written to the log. */
  readonly smtpUrl: string
  readonly from: string
  /** Keeps the mails that are written to the log, to be shown to a developer. */
  readonly keep: boolean
}

export interface Mailer {
  /** A mail server may take its time; nobody should wait for one. */
  readonly slow: boolean
  /** Sent mails can be listed. */
  readonly keeps: boolean
  send(mail: Mail): Promise<void>
}

export function createMailer(config: MailConfig, log: Log, db: Database): Mailer {
  if (config.smtpUrl !== '') return smtpMailer(config)
  const { keep } = config
  return {
    slow: false,
    keeps: keep,
    // Secrets and all: without a mail server the log is where the mail arrives.
    async send(mail) {
      log.info({ event: 'mail', ...mail }, 'a mail')
      if (keep) await insertSentMail(db, mail)
    },
  }
}

/** Shorter together than the lease of an outbox row and than a relay's round should ever wait. */
const timeouts = { dnsTimeout: 3_000, connectionTimeout: 3_000, greetingTimeout: 3_000, socketTimeout: 5_000 }

function smtpMailer({ smtpUrl, from }: MailConfig): Mailer {
  if (!/^smtps?:\/\/./.test(smtpUrl)) throw new Error('SMTP_URL takes smtp://host:port or smtps://host:port')
  const transport = createTransport({ url: smtpUrl, ...timeouts })
  return {
    slow: true,
    keeps: false,
    async send({ to, subject, text }) {
      // As an object the address is taken as it is, never read as a list of several.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    },
  }
}

/** The mail server has refused the mail for good; another try would end alike. */
export function isRefused(error: unknown): boolean {
  const { responseCode, code = '' } = (error ?? {}) as { responseCode?: number; code?: string }
  return /^(EENVELOPE|EMESSAGE)$/.test(code) && (responseCode === undefined || responseCode >= 500)
}
