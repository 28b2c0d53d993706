/** What tests of faults of files look at: every side of the books, and ways to break and to hurry. */
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { forgetKeys } from '@worlds/runtime/forget-keys'
import type { ObjectStore } from '@worlds/storage/object-store'
import { roomKey } from '@worlds/storage/rooms'
import type { System } from '@worlds/testkit/system'
import { Redis } from 'ioredis'
import pg from 'pg'
import { bucketOf, keysIn, worldFiles } from './files-support'
import { accountApi } from './hostile-table'
import type { Body, Owner } from './support'

export const cap = 262_144_000
export const largest = 26_214_400

/** Lives that end within a test; how often the rounds look. */
export const soon = { SETTLE_EVERY_MS: '100', SETTLE_LEASE_MS: '500' }
export const brisk = {
  UPLOAD_BODY_MS: '10000',
  UPLOAD_PUT_MS: '1500',
  UPLOAD_LEASE_MS: '500',
  S3_TIMEOUT_MS: '1000',
}
export const gateway = { REQUEST_BUDGET: '1000000' }

/** A world's files, as each who keeps books of them has it. */
export interface Sides {
  readonly listed: string[]
  readonly rows: string[]
  readonly stored: string[]
  readonly used: number
  readonly counted: number
  readonly bytes: number
  /** Null while Redis has no such room. */
  readonly room: number | null
  readonly doomed: number
}

export interface Books {
  readonly database: pg.Client
  readonly redis: Redis
  readonly bucket: ObjectStore
  sides(own: Owner): Promise<Sides>
  /** Expects that in the end the world's files are these, on every side. */
  settled(own: Owner, files: readonly string[], bytes: number): Promise<void>
  imageSides(own: Owner): Promise<ImageSides>
  imagesSettled(own: Owner, keys: readonly string[], bytes: number): Promise<void>
  state(id: string): Promise<string | null>
  room(name: string): Promise<number | null>
  /** As if the lives of all tickets, and whoever may still be at them, were over. */
  hurry(): Promise<void>
  /** Loses what Redis has of this system; `beginning` for a part. */
  empty(beginning?: string): Promise<void>
  close(): Promise<void>
}

export interface ImageSides {
  readonly rows: string[]
  readonly stored: string[]
  readonly pointers: string[]
  readonly used: number
  readonly counted: number
  readonly room: number | null
  readonly doomed: number
}

export async function openBooks(system: System): Promise<Books> {
  const database = new pg.Client({ connectionString: system.databaseUrl })
  await database.connect()
  const redis = new Redis(system.redisUrl)
  const bucket = bucketOf(system)
  const ask = async (text: string, values: unknown[]): Promise<Body[]> => (await database.query(text, values)).rows
  const room = async (name: string) => {
    const [complete, total] = await redis.hmget(`${system.redisPrefix}:${roomKey(name)}`, 'complete', 'total')
    return complete === null ? null : Number(total)
  }
  const doomedOf = async (world: string) =>
    (await ask('select count(*)::int as n from file.doomed where world_id = $1', [world]))[0].n

  const sides = async (own: Owner): Promise<Sides> => {
    const { data, used_bytes } = await worldFiles(own)
    const rows = await ask(`select id from file.files where world_id = $1 and state = 'listed'`, [own.world])
    const [world] = await ask('select used_bytes::float8 as used from file.worlds where world_id = $1', [own.world])
    const objects = await bucket.list(`w/${own.world}/`, '', 1_000)
    return {
      listed: idsOf(data),
      rows: idsOf(rows),
      stored: objects.map(({ key }) => key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('.'))).sort(),
      used: used_bytes,
      counted: world?.used ?? 0,
      bytes: objects.reduce((sum, object) => sum + object.bytes, 0),
      room: await room(`world:${own.world}`),
      doomed: await doomedOf(own.world),
    }
  }

  const imageSides = async (own: Owner): Promise<ImageSides> => {
    const { id } = own.account
    const rows = await ask(`select key from file.images where world_id = $1 and state = 'listed'`, [own.world])
    const [account] = await ask('select used_bytes::float8 as used from file.accounts where account_id = $1', [id])
    return {
      rows: rows.map(({ key }) => key).sort(),
      stored: (await keysIn(bucket, `u/${own.world}/`)).sort(),
      pointers: await keysIn(bucket, `pointers/${own.world}/`),
      used: (await accountApi(system.gateway, own.token).get('/api/v2/account')).body.image_bytes_used,
      counted: account?.used ?? 0,
      room: await room(`account:${id}`),
      doomed: await doomedOf(own.world),
    }
  }

  return {
    database,
    redis,
    bucket,
    sides,
    imageSides,
    room,
    settled: (own, files, total) =>
      eventually(() => sides(own), {
        ...same(['listed', 'rows', 'stored'], [...files].sort()),
        ...same(['used', 'counted', 'bytes', 'room'], total),
        doomed: 0,
      }),
    imagesSettled: (own, keys, total) =>
      eventually(() => imageSides(own), {
        ...same(['rows', 'stored'], [...keys].sort()),
        ...same(['used', 'counted', 'room'], total),
        pointers: [],
        doomed: 0,
      }),
    async state(id) {
      const text = 'select state from file.files where id = $1 union all select state from file.images where id = $1'
      return (await ask(text, [id]))[0]?.state ?? null
    },
    async hurry() {
      for (const table of ['files', 'images']) {
        await ask(`update file.${table} set settle_at = clock_timestamp() where state = 'reserved'`, [])
      }
    },
    async empty(beginning = '') {
      await forgetKeys(redis, `${system.redisPrefix}:${beginning}`)
    },
    async close() {
      await database.end()
      bucket.close()
      redis.disconnect()
    },
  }
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id).sort()
}

function same(names: readonly string[], value: unknown): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, value]))
}

/** Waits until what is looked at is as expected; in vain it tells the difference. */
export async function eventually(look: () => Promise<unknown>, expected: unknown, withinMs = 20_000): Promise<void> {
  const end = Date.now() + withinMs
  let seen = await look()
  while (!isDeepStrictEqual(seen, expected) && Date.now() < end) {
    await sleep(30)
    seen = await look()
  }
  expect(seen).toEqual(expected)
}

/** A file whose presence lets one failpoint fire once. */
export function fuses(): { path(name: string): string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'fuse-'))
  return {
    path: (name) => join(directory, name),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

export interface SlowUpload {
  write(bytes: Uint8Array | string): Promise<void>
  end(): void
  leave(): void
  /** Status and error; 0 when the connection ended without an answer. */
  readonly answer: Promise<{ readonly status: number; readonly body: Body }>
}

/** An upload whose body comes as the test likes. */
export function slowUpload(
  { ticket, upload_url }: { readonly ticket: string; readonly upload_url: string },
  length: number,
  headers: Record<string, string> = {},
  url = upload_url,
): SlowUpload {
  const all = { Authorization: `Bearer ${ticket}`, 'Content-Length': String(length), ...headers }
  const sending = request(url, { method: 'POST', headers: all, agent: false })
  sending.flushHeaders()
  const answer = new Promise<{ status: number; body: Body }>((resolve) => {
    sending.on('error', () => resolve({ status: 0, body: null }))
    sending.on('response', (incoming: IncomingMessage) => {
      const chunks: Buffer[] = []
      incoming.on('error', () => undefined)
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('close', () => resolve({ status: incoming.statusCode ?? 0, body: parse(Buffer.concat(chunks)) }))
    })
  })
  return {
    write: (bytes) =>
      new Promise((resolve) => {
        sending.write(bytes, () => resolve())
      }),
    end: () => {
      sending.end()
    },
    leave: () => {
      sending.destroy()
    },
    answer,
  }
}

function parse(bytes: Buffer): Body {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return null
  }
}
