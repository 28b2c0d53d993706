/** Cross-origin access without credentials mode (L462, B38, D25). */

/** Platforms whose customers' hosts, one or more labels below, may call by https. */
const platforms = [
  ...['github.io', 'gitlab.io', 'pages.dev', 'vercel.app', 'netlify.app', 'onrender.com', 'up.railway.app', 'fly.dev'],
  ...['herokuapp.com', 'amplifyapp.com', 'web.app', 'firebaseapp.com', 'surge.sh', 'glitch.me'],
  ...['replit.app', 'replit.dev', 'repl.co', 'csb.app', 'codesandbox.io', 'stackblitz.io', 'webcontainer.io'],
  ...['codepen.io', 'cdpn.io', 'jsfiddle.net'],
]

const local = new Set(['localhost', '127.0.0.1', '[::1]'])

export interface CorsConfig {
  /** The service's own domain, itself and below; empty for none. */
  readonly domain: string
  /** Further origins, whole. */
  readonly origins: readonly string[]
}

/** Judges an Origin header by its parts, never by a pattern on the text. */
export function isAllowedOrigin(origin: string, { domain, origins }: CorsConfig): boolean {
  if (origins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  if (url.origin !== origin || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false
  if (local.has(url.hostname)) return true
  if (url.protocol !== 'https:' || url.port !== '') return false
  if (domain !== '' && (url.hostname === domain || url.hostname.endsWith(`.${domain}`))) return true
  return platforms.some((platform) => url.hostname.endsWith(`.${platform}`))
}

const exposed = 'ETag, Retry-After, Idempotent-Replay, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset'

/** Headers for every reply. */
export function corsHeaders(origin: string | undefined, config: CorsConfig): Record<string, string> {
  if (origin === undefined || !isAllowedOrigin(origin, config)) return { vary: 'Origin' }
  return { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed }
}

const allowed = 'API-Key, API-Pin, Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key'

/** Further headers for the reply to a preflight; `more` are request headers of that path alone. */
export function preflightHeaders(
  origin: string | undefined,
  config: CorsConfig,
  more: readonly string[] = [],
): Record<string, string> {
  if (origin === undefined || !isAllowedOrigin(origin, config)) return {}
  return {
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': [allowed, ...more].join(', '),
    'access-control-max-age': '86400',
  }
}
