import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { Environment } from '@worlds/runtime/config'
import { isConnectionLoss } from '@worlds/runtime/operation'
import { openS3Client } from './s3-client'

export interface ObjectStoreConfig {
  /** Empty for AWS's own. */
  readonly endpoint: string
  readonly region: string
  /** Empty when no store is configured. */
  readonly bucket: string
  readonly pathStyle: boolean
  /** Empty for what the environment's AWS settings, or the machine's role, give. */
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The store refuses a put with If-None-Match where an object is. If not, it is asked before each put. */
  readonly conditionalPuts: boolean
  /** Makes the bucket at the start: for development and tests. */
  readonly createBucket: boolean
  /** How long the store may take to begin its answer, but to a put. */
  readonly timeoutMs: number
}

export function readObjectStoreConfig(env: Environment): ObjectStoreConfig {
  return {
    endpoint: env.text('S3_ENDPOINT', ' ').trim(),
    region: env.text('S3_REGION', 'us-east-1'),
    bucket: env.text('S3_BUCKET', ' ').trim(),
    pathStyle: env.text('S3_FORCE_PATH_STYLE', 'false') === 'true',
    accessKeyId: env.text('S3_ACCESS_KEY_ID', ' ').trim(),
    secretAccessKey: env.text('S3_SECRET_ACCESS_KEY', ' ').trim(),
    conditionalPuts: env.text('S3_CONDITIONAL_PUTS', 'true') === 'true',
    createBucket: env.text('S3_CREATE_BUCKET', 'false') === 'true',
    timeoutMs: env.integer('S3_TIMEOUT_MS', 10_000),
  }
}

export interface ObjectFacts {
  readonly bytes: number
  /** Bare, without quotes. */
  readonly etag: string
  readonly type: string
  readonly metadata: Readonly<Record<string, string>>
}

export interface ObjectBody extends ObjectFacts {
  readonly body: Readable
}

export interface NewObject {
  readonly key: string
  readonly body: Readable | Buffer
  readonly bytes: number
  readonly type: string
  readonly metadata: Readonly<Record<string, string>>
}

export interface ListedObject {
  readonly key: string
  readonly bytes: number
}

/** Bytes by key, in one bucket of an S3-compatible store. What the store cannot do is thrown. */
export class ObjectStore {
  readonly #client: S3Client
  /** As the other, but for its patience: told anew with each put, that would cost as much CPU as the signature. */
  readonly #puts: S3Client
  readonly #putMs: number

  /**
   * `connections` bounds what whoever shares this one can take of the store at once; `putMs` how long it may take to
   * begin its answer to a put.
   */
  constructor(
    private readonly config: ObjectStoreConfig,
    { connections = 256, putMs = 60_000 }: { readonly connections?: number; readonly putMs?: number } = {},
  ) {
    const { accessKeyId, secretAccessKey, timeoutMs } = config
    const given = accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }
    const agent = { keepAlive: true, maxSockets: connections }
    const agents = { httpAgent: new Agent(agent), httpsAgent: new SecureAgent(agent) }
    this.#client = openS3Client(config, { ...agents, requestTimeout: timeoutMs }, { ...given, maxAttempts: 2 })
    // Its own would be fetched with the patience for puts.
    const { credentials } = this.#client.config
    this.#puts = openS3Client(config, { ...agents, requestTimeout: putMs }, { credentials, maxAttempts: 1 })
    this.#putMs = putMs
  }

  /** Whether of two puts of one key at once the store takes one. */
  get putsOnce(): boolean {
    return this.config.conditionalPuts
  }

  /** The bare ETag; null when the key is taken. `withinMs` is said of a put that has not all the time that puts have. */
  async put({ key, body, bytes, type, metadata }: NewObject, withinMs?: number): Promise<string | null> {
    if (!this.config.conditionalPuts) {
      const began = performance.now()
      if ((await this.head(key)) !== null) return null
      withinMs = (withinMs ?? this.#putMs) - (performance.now() - began)
    }
    const command = new PutObjectCommand({
      ...this.#at(key),
      Body: body,
      ContentLength: bytes,
      ContentType: type,
      Metadata: { ...metadata },
      IfNoneMatch: '*',
    })
    try {
      const { ETag } = await (withinMs === undefined
        ? this.#puts.send(command)
        : this.#puts.send(command, { requestTimeout: Math.max(Math.ceil(withinMs), 1) }))
      return bare(ETag)
    } catch (error) {
      if (statusOf(error) === 412) return null
      throw error
    } finally {
      // The client keeps the first command of a kind for ever.
      command.input.Body = undefined
    }
  }

  /** Puts whatever is there already. */
  async mark(key: string, metadata: Readonly<Record<string, string>>): Promise<void> {
    await this.#client.send(
      new PutObjectCommand({ ...this.#at(key), Body: Buffer.alloc(0), ContentLength: 0, Metadata: { ...metadata } }),
    )
  }

  async head(key: string): Promise<ObjectFacts | null> {
    try {
      const found = await this.#client.send(new HeadObjectCommand(this.#at(key)))
      return factsOf(found)
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw error
    }
  }

  /** The whole, or the bytes from `first` to `last`; null when there is no such object. */
  async get(
    key: string,
    range: { readonly first: number; readonly last: number } | null,
    signal: AbortSignal,
  ): Promise<ObjectBody | null> {
    try {
      const Range = range === null ? undefined : `bytes=${range.first}-${range.last}`
      const found = await this.#client.send(new GetObjectCommand({ ...this.#at(key), Range }), { abortSignal: signal })
      return { ...factsOf(found), body: found.Body as Readable }
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw error
    }
  }

  /** Also when there is none. */
  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key)))
  }

  /** In the order of keys, those after a key. By the older of the two listings: it needs no token of the store's. */
  async list(prefix: string, after: string, limit: number): Promise<ListedObject[]> {
    const found = await this.#client.send(
      new ListObjectsCommand({ Bucket: this.config.bucket, Prefix: prefix, Marker: after, MaxKeys: limit }),
    )
    return (found.Contents ?? []).map(({ Key = '', Size = 0 }) => ({ key: Key, bytes: Size }))
  }

  /** Throws unless the bucket is there and may be read: a missing bucket answers `head` as a missing object does. */
  async checkBucket(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.config.bucket }))
  }

  async prepare(): Promise<void> {
    if (!this.config.createBucket) return
    try {
      await this.#client.send(new CreateBucketCommand({ Bucket: this.config.bucket }))
    } catch (error) {
      if (statusOf(error) !== 409) throw error
    }
  }

  close(): void {
    this.#client.destroy()
    this.#puts.destroy()
  }

  #at(key: string) {
    return { Bucket: this.config.bucket, Key: key }
  }
}

function factsOf(found: {
  ContentLength?: number
  ETag?: string
  ContentType?: string
  Metadata?: Record<string, string>
}): ObjectFacts {
  const { ContentLength = 0, ContentType = '', Metadata = {} } = found
  return { bytes: ContentLength, etag: bare(found.ETag), type: ContentType, metadata: Metadata }
}

function bare(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '')
}

/** Another try may well succeed: the connection was lost, the store stumbled, or two puts met (409). */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined ? isConnectionLoss(error) : status >= 500 || status === 409 || status === 429
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}
