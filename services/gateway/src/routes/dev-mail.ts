import { serverBusy } from '@worlds/domain/errors'
import type { Request, Response } from 'express'
import type { Clients } from '../clients'
import { refuse } from '../http/answer'
import { send } from '../http/deliver'
import { escapeHtml } from '../http/escape-html'
import { toAnswer } from './reply'

interface SentMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly sent_at: string
}

/** The mails that were sent, for a developer: a page, or JSON for who asks for it (D37). No CORS: they hold secrets. */
export function devMail(clients: Clients, docsUrl: string) {
  return async (request: Request, response: Response): Promise<void> => {
    const answer = await clients.listMails().then(toAnswer, () => refuse(serverBusy()))
    if (answer.kind !== 'reply' && answer.kind !== 'refusal') throw new Error('mails have no principal')
    const headers = { 'cache-control': 'no-store', vary: 'Accept' }
    if (answer.kind === 'refusal' || request.accepts(['html', 'json']) === 'json') {
      send(response, answer, headers, docsUrl)
      return
    }
    const { data } = JSON.parse(Buffer.concat(answer.body ?? []).toString()) as { data: SentMail[] }
    const page = Buffer.from(pageOf(data))
    const type = { 'content-type': 'text/html; charset=utf-8', 'content-length': page.length }
    response.writeHead(200, { ...headers, ...type, 'content-security-policy': "default-src 'none'" }).end(page)
  }
}

function pageOf(mails: readonly SentMail[]): string {
  const articles = mails.map(
    ({ to, subject, text, sent_at }) =>
      `<article><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(to)}, ${sent_at}</p><pre>${escapeHtml(text)}</pre></article>`,
  )
  const content = articles.length === 0 ? '<p>No mail was sent yet.</p>' : articles.join('\n')
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Sent mails</title></head>
<body><h1>Sent mails</h1>\n${content}\n</body></html>\n`
}
