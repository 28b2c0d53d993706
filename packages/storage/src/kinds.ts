/** Kinds of files and types of images, and what their bytes are served as. */

export type FileKind = 'pdf' | 'txt' | 'md' | 'json' | 'csv' | 'yaml' | 'toml' | 'zip'

interface KindFacts {
  /** What a name of this kind ends in, without the dot. */
  readonly extensions: readonly string[]
  readonly mime: string
}

export const fileKinds: ReadonlyMap<string, KindFacts> = new Map<FileKind, KindFacts>([
  ['pdf', { extensions: ['pdf'], mime: 'application/pdf' }],
  ['txt', { extensions: ['txt'], mime: 'text/plain; charset=utf-8' }],
  ['md', { extensions: ['md', 'markdown'], mime: 'text/markdown; charset=utf-8' }],
  ['json', { extensions: ['json'], mime: 'application/json' }],
  ['csv', { extensions: ['csv'], mime: 'text/csv; charset=utf-8' }],
  ['yaml', { extensions: ['yaml', 'yml'], mime: 'application/yaml' }],
  ['toml', { extensions: ['toml'], mime: 'application/toml' }],
  ['zip', { extensions: ['zip'], mime: 'application/zip' }],
])

export function isFileKind(kind: unknown): kind is FileKind {
  return typeof kind === 'string' && fileKinds.has(kind)
}

export type ImageType = 'webp' | 'png' | 'jpeg' | 'avif'

/** The first extension is the one that keys are minted with. */
export const imageTypes: Readonly<Record<ImageType, KindFacts>> = {
  webp: { extensions: ['webp'], mime: 'image/webp' },
  png: { extensions: ['png'], mime: 'image/png' },
  jpeg: { extensions: ['jpg', 'jpeg'], mime: 'image/jpeg' },
  avif: { extensions: ['avif'], mime: 'image/avif' },
}

/** Binary megabytes (A76). */
export const maxFileBytes = 26_214_400
export const worldFileBytes = 262_144_000
export const maxImageBytes = 10_485_760
