export interface ApiReply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects in a body.
  readonly body: any
  readonly text: string
}

type Send = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiReply>

export interface Api {
  get(path: string, headers?: Record<string, string>): Promise<ApiReply>
  readonly post: Send
  readonly put: Send
  readonly patch: Send
  readonly delete: Send
}

/**
 * Requests to one host with the same headers. A body that is a string or bytes is sent as it is,
 * anything else as JSON; no body is sent when it is undefined.
 */
export function api(baseUrl: string, headers: Record<string, string> = {}): Api {
  const send =
    (method: string): Send =>
    async (path, body, more = {}) => {
      const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
      const response = await fetch(new URL(path, baseUrl), {
        method,
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers, ...more },
        ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
        redirect: 'manual',
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: parse(text), text }
    }
  return {
    get: (path, more) => send('GET')(path, undefined, more),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
