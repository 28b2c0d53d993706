import { type ErrorCode, errorCodes, familyOf, statusOf } from '@worlds/domain/errors'
import { escapeHtml } from '../http/escape-html'
import { errorGuide } from '../openapi/error-guide'
import { readAsset } from './assets'

export interface PagePaths {
  readonly document: string
  /** Folder of what the page loads. */
  readonly assets: string
}

/** First steps, a section for every error code, and the document, as one HTML page. */
export function makePage({ document, assets }: PagePaths): Buffer {
  const parts: Readonly<Record<string, string>> = {
    document,
    assets,
    curl: escapeHtml(readAsset('first-steps/curl.sh')),
    typescript: escapeHtml(readAsset('first-steps/typescript.ts')),
    python: escapeHtml(readAsset('first-steps/python.py')),
    errors: errorCodes.map(errorSection).join('\n'),
  }
  const template = readAsset('docs.html')
  return Buffer.from(
    template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const part = parts[name]
      if (part === undefined) throw new Error(`the page has no part ${name}`)
      return part
    }),
  )
}

/** The id is what `doc_url` names. */
function errorSection(code: ErrorCode): string {
  const { cause, remedy, retryAfter } = errorGuide[code]
  const waits = retryAfter === true ? 'yes, in whole seconds' : 'no'
  return `<section class="error" id="${code}">
<h3><a href="#${code}"><code>${code}</code></a></h3>
<dl>
<dt>Status</dt><dd>${statusOf(code)}</dd>
<dt>Type</dt><dd><code>${familyOf(code)}</code></dd>
<dt>Retry-After</dt><dd>${waits}</dd>
</dl>
<p>${toHtml(cause)}</p>
<p>${toHtml(remedy)}</p>
</section>`
}

/** Text whose words in backticks are code. */
function toHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}
