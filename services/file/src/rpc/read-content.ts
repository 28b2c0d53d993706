/** A file's bytes for who reads them as part of an answer, as agents do (D17). */
import { noSuch } from '@worlds/domain/errors'
import type { FileContent } from '@worlds/proto/generated/worlds/file/v1/FileContent'
import type { FileRequest__Output } from '@worlds/proto/generated/worlds/file/v1/FileRequest'
import type { FileKind } from '@worlds/storage/kinds'
import type { Context } from '../context'
import { keyOf, type ListedFile } from '../store/files'
import { findFile } from './files'
import { refuse } from './reply'

/** Bytes that are sent inline: of text, every control character takes seven bytes of an agent's reply. */
const inlineBytes = { text: 256 << 10, binary: 1 << 20 } as const

/** All others are text. */
const binaryKinds = new Set<string>(['pdf', 'zip'] satisfies FileKind[])

/** How long the object store may take. */
const patienceMs = 10_000

/** Bytes of one message. */
const partBytes = 256 << 10

export async function readContent(context: Context, request: FileRequest__Output): Promise<FileContent[]> {
  const file = await findFile(context, request)
  const { name, kind, size } = file
  const form = binaryKinds.has(kind) ? 'binary' : 'text'
  const { url, exp } = context.links.make(keyOf(file), name)
  const facts = { name, kind, size, url, exp }
  if (size > inlineBytes[form]) return [{ facts: { ...facts, form: 'link' }, bytes: Buffer.alloc(0) }]
  const bytes = await readBytes(context, file)
  const parts: FileContent[] = [{ facts: { ...facts, form }, bytes: bytes.subarray(0, partBytes) }]
  for (let at = partBytes; at < bytes.length; at += partBytes) parts.push({ bytes: bytes.subarray(at, at + partBytes) })
  return parts
}

async function readBytes({ served }: Context, file: ListedFile): Promise<Buffer> {
  if (served === null) throw new Error('a file is listed and there is no store')
  const found = await served.get(keyOf(file), null, AbortSignal.timeout(patienceMs))
  // Removed since it was found.
  if (found === null) return refuse(noSuch('file'))
  const chunks: Buffer[] = []
  for await (const chunk of found.body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
