/** Links that anybody may follow for a while: what they name is signed, and nothing is looked up to judge them. */
import { digest, matchesDigest, type Pepper } from '@worlds/runtime/secrets'

export interface Link {
  readonly url: string
  /** Unix seconds; the link is good before. */
  readonly exp: number
}

export type LinkFault = 'link_invalid' | 'link_expired'

export class DownloadLinks {
  constructor(
    readonly base: string,
    private readonly secrets: readonly Pepper[],
    private readonly lifeMs: number,
  ) {}

  /** Of the bytes under a key, to be saved under a name. */
  make(key: string, name: string): Link {
    const exp = Math.ceil((Date.now() + this.lifeMs) / 1000)
    const query = new URLSearchParams({ name, exp: String(exp), sig: digest(this.secrets, signed(key, name, exp)) })
    return { url: `${this.base}/${key}?${query}`, exp }
  }

  /** The name to serve the bytes under, or what is wrong with the link. */
  judge(key: string, query: URLSearchParams): { readonly name: string } | { readonly fault: LinkFault } {
    const name = query.get('name') ?? ''
    const exp = Number(query.get('exp'))
    const isSigned = matchesDigest(this.secrets, signed(key, name, exp), query.get('sig') ?? '')
    if (!Number.isSafeInteger(exp) || !isSigned) return { fault: 'link_invalid' }
    return exp * 1000 <= Date.now() ? { fault: 'link_expired' } : { name }
  }
}

function signed(key: string, name: string, exp: number): string {
  return `download:${exp}:${key}\n${name}`
}
