import type { Express } from 'express'
import { type CorsConfig, corsHeaders } from '../http/cors'
import { makeDocument } from '../openapi/document'
import { openPaths, openRoutes } from '../openapi/open'
import { describeAll } from '../openapi/resources'
import { routes } from '../routes/table'
import { readAssets } from './assets'
import { type KeptFile, keptFile, serveKept } from './kept-file'
import { makePage } from './page'

export interface DocsConfig {
  readonly cors: CorsConfig
  readonly extensionPrefixes: readonly string[]
}

/** Everything the page needs comes from this host, and nothing is run that is not a file of it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The document and its page: made once, for whoever asks, without a key and without a request slot. */
export function serveDocs(app: Express, { cors, extensionPrefixes }: DocsConfig): void {
  const document = makeDocument([...routes, ...openRoutes], describeAll(extensionPrefixes))
  const add = (path: string, file: KeptFile) =>
    app.get(path, (request, response) => serveKept(file, request, response, corsHeaders(request.headers.origin, cors)))

  add(openPaths.document, keptFile(Buffer.from(JSON.stringify(document)), 'application/json'))
  const page = makePage({ document: openPaths.document, assets: assetsPath })
  add(openPaths.docs, keptFile(page, 'text/html; charset=utf-8', { 'content-security-policy': policy }))
  for (const [name, { body, type }] of readAssets()) add(`${assetsPath}/${name}`, keptFile(body, type))
}

/** Absolute, for the page is found with a slash at its end and without one. */
const assetsPath = `${openPaths.docs}/assets`
