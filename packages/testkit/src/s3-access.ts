/** An S3 server, and how it is spoken to. */
export interface S3Access {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** It honours If-None-Match. */
  readonly conditionalPuts: boolean
}

/** As s3rver takes it. */
export function s3rverAccess(endpoint: string): S3Access {
  return { endpoint, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', conditionalPuts: false }
}

/** As versitygw takes it, when `startVersitygw` has started it. */
export function versityAccess(endpoint: string): S3Access {
  return { endpoint, accessKeyId: 'versity', secretAccessKey: 'versity-secret', conditionalPuts: true }
}
