/**
 * Tickets: what the file service signs and the upload host believes. Ed25519 JWS with a key id, so
 * that keys can be replaced one after another; who holds the public keys alone can mint nothing.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { type FileKind, isFileKind } from './kinds'

interface Common {
  /** The id of the file or image that the ticket is for, and its own. */
  readonly id: string
  readonly worldId: string
  /** Unix seconds; the ticket is good before. */
  readonly exp: number
}

interface Upload extends Common {
  readonly maxBytes: number
  /** Which room the bytes go into: `world:<id>` or `account:<id>`, and how much it holds. */
  readonly room: string
  readonly roomBytes: number
}

export interface FileTicket extends Upload {
  readonly for: 'file'
  readonly kind: FileKind
  readonly key: string
}

export interface ImageTicket extends Upload {
  readonly for: 'image'
  /** What the key begins with. */
  readonly prefix: string
  /** Base of the address that the image is served at. */
  readonly filesUrl: string
}

export interface RemovalTicket extends Common {
  readonly for: 'removal'
  readonly key: string
  readonly bytes: number
}

export type UploadTicket = FileTicket | ImageTicket
export type Ticket = UploadTicket | RemovalTicket

export interface SigningKey {
  readonly id: string
  readonly key: KeyObject
}

/** Reads `id:base64`, the key as PKCS #8 in DER; null for ''. */
export function readSigningKey(text: string): SigningKey | null {
  if (text === '') return null
  const { id, bytes } = splitKey(text)
  return { id, key: createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }) }
}

/** Reads `id:base64[,id:base64]`, the keys as SPKI in DER. */
export function readPublicKeys(items: readonly string[]): Map<string, KeyObject> {
  return new Map(
    items.map((item) => {
      const { id, bytes } = splitKey(item)
      return [id, createPublicKey({ key: bytes, format: 'der', type: 'spki' })]
    }),
  )
}

function splitKey(text: string): { id: string; bytes: Buffer } {
  const colon = text.indexOf(':')
  if (colon < 1) throw new Error('a ticket key is written id:base64')
  return { id: text.slice(0, colon), bytes: Buffer.from(text.slice(colon + 1), 'base64') }
}

export function signTicket({ id, key }: SigningKey, ticket: Ticket): Promise<string> {
  const { id: ticketId, exp, ...claims } = ticket
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: id, typ: 'JWT' })
    .setJti(ticketId)
    .setAudience(audienceOf(ticket))
    .setExpirationTime(exp)
    .sign(key)
}

export type Verified<T> = { readonly ticket: T } | { readonly fault: 'invalid' | 'expired' }

export class TicketReader {
  constructor(private readonly keys: ReadonlyMap<string, KeyObject>) {}

  get isConfigured(): boolean {
    return this.keys.size > 0
  }

  upload(text: string): Promise<Verified<UploadTicket>> {
    return this.#read<UploadTicket>(text, 'upload')
  }

  removal(text: string): Promise<Verified<RemovalTicket>> {
    return this.#read<RemovalTicket>(text, 'removal')
  }

  /** The signature is judged before the time: only what was issued can have expired. */
  async #read<T extends Ticket>(text: string, audience: string): Promise<Verified<T>> {
    try {
      const { payload } = await jwtVerify(text, ({ kid }) => this.#keyOf(kid), { audience, algorithms: ['EdDSA'] })
      return { ticket: toTicket(payload) as T }
    } catch (error) {
      return { fault: error instanceof errors.JWTExpired ? 'expired' : 'invalid' }
    }
  }

  #keyOf(kid: string | undefined): KeyObject {
    const key = this.keys.get(kid ?? '')
    if (key === undefined) throw new errors.JWSInvalid('no such key')
    return key
  }
}

function audienceOf(ticket: Ticket): string {
  return ticket.for === 'removal' ? 'removal' : 'upload'
}

function toTicket({ jti, aud: _, ...claims }: JWTPayload): Ticket {
  const ticket = { ...claims, id: jti } as unknown as Ticket
  if (ticket.for === 'file' && !isFileKind(ticket.kind)) throw new errors.JWTInvalid('no such kind')
  return ticket
}
