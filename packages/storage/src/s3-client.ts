import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler'

export interface S3Place {
  /** Empty for AWS's own. */
  readonly endpoint: string
  readonly region: string
  readonly pathStyle: boolean
}

const nothing = () => undefined
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }

/** A client as any S3-compatible store can answer it. */
export function openS3Client(
  { endpoint, region, pathStyle }: S3Place,
  handler: NodeHttpHandlerOptions,
  settings: S3ClientConfig,
): S3Client {
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === '' ? {} : { endpoint }),
    // A checksum that is sent along needs a chunked coding, which not every store can read.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Else each request has its middlewares put together anew.
    cacheMiddleware: true,
    // What it has to say of a request is in the error, which is logged where it is handled.
    logger: silent,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 5_000,
      throwOnRequestTimeout: true,
      // Between bytes: whoever is slow to read what is served keeps the store waiting.
      socketTimeout: 60_000,
      ...handler,
    }),
    ...settings,
  })
  // To prepare what nobody logs costs a tenth of a millisecond for each request.
  client.middlewareStack.remove('loggerMiddleware')
  return client
}
