/**
 * What uploads and downloads are measured against: a plain server that streams a body to the object
 * store and back, without tickets, checks or promises.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

const { S3_ENDPOINT = '', S3_BUCKET = '', S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = process.env
const client = new S3Client({
  endpoint: S3_ENDPOINT,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
})

const server = createServer(async (request, response) => {
  const at = { Bucket: S3_BUCKET, Key: (request.url ?? '').slice(1) }
  try {
    if (request.method === 'POST') {
      const ContentLength = Number(request.headers['content-length'])
      await client.send(new PutObjectCommand({ ...at, Body: request, ContentLength }))
      response.writeHead(201).end('{}')
    } else {
      const found = await client.send(new GetObjectCommand(at))
      response.writeHead(200, { 'content-length': found.ContentLength ?? 0 })
      await pipeline(found.Body as Readable, response)
    }
  } catch (error) {
    console.error(error)
    response.destroy()
  }
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ address: `http://127.0.0.1:${port}` }))
})
