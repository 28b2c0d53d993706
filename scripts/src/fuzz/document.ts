import { randomBytes } from 'node:crypto'

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>
}

interface Parameter {
  readonly name: string
  readonly example?: unknown
}

/** The document with a world's own ids in its examples: the world's, and such as no element anywhere has. */
export function withOwnIds(document: string, world: string): string {
  const worldId = examplesOf(document, 'world_id')[0]?.example ?? ''
  const [path = ''] = elementPaths(document)
  const [, beginning = ''] = /\/([0-9a-f]{8})-[^/]+$/.exec(path) ?? []
  return document
    .replaceAll(`"${worldId}"`, `"${world}"`)
    .replaceAll(`"${beginning}-`, `"${randomBytes(4).toString('hex')}-`)
}

/** Of single elements, with the ids of the examples. */
export function elementPaths(document: string): string[] {
  return examplesOf(document, 'id')
    .filter(({ path }) => path.endsWith('/{id}'))
    .map(({ path, example }) => path.replace('{id}', example))
}

/** The examples of one parameter, by the paths that are put to or read. */
function examplesOf(document: string, name: string): { readonly path: string; readonly example: string }[] {
  const { paths } = JSON.parse(document) as OpenApi
  return Object.entries(paths).flatMap(([path, { put, get }]) => {
    const found = (put ?? get)?.parameters?.find((parameter) => parameter.name === name)?.example
    return found === undefined ? [] : [{ path, example: String(found) }]
  })
}
