/** The document as a test takes it: its operations, and requests and replies by them. */
import type { ApiReply } from '@worlds/testkit/api'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Body } from './support'

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** As the document has it. */
  readonly facts: Body
}

export function operationsOf(document: Body): Operation[] {
  return Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Body>(methods).map(([method, facts]) => ({ id: facts.operationId, method, path, facts })),
  )
}

export interface Example {
  readonly path: string
  readonly credentials: readonly string[]
  readonly body: unknown
  readonly status: number
  /** Undefined for a reply without a body, and for the document itself. */
  readonly reply: Body
}

/** The request of an operation's worked example, and what it is answered. */
export function exampleOf({ path, facts }: Operation): Example {
  const { parameters = [], security = [], requestBody, responses } = facts
  const shown = parameters.filter(({ example }: Body) => example !== undefined)
  const query = shown
    .filter((one: Body) => one.in === 'query')
    .map(({ name, example }: Body) => `${name}=${encodeURIComponent(String(example))}`)
  const inPath = path.replace(
    /\{(\w+)\}/g,
    (_, name) => shown.find((one: Body) => one.name === name && one.in === 'path').example,
  )
  const replies = Object.entries<Body>(responses).filter(([status]) => status < '300')
  const worked = replies.find(([, { content = {} }]) =>
    Object.values<Body>(content).some(({ example }) => example !== undefined),
  )
  const [status, { content }] = worked ?? (replies[0] as [string, Body])
  return {
    path: query.length === 0 ? inPath : `${inPath}?${query.join('&')}`,
    credentials: Object.keys(security[0] ?? {}),
    body: requestBody?.content['application/json'].example,
    status: Number(status),
    reply: content?.['application/json']?.example,
  }
}

/** Judges replies by the schemas of their statuses; null when all is well. */
export function judgeOf(document: Body): (operation: Operation, reply: ApiReply) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(document, 'openapi')
  return ({ path, method }, { status, headers, body, text }) => {
    const at = `#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}/responses/${status}`
    const found = document.paths[path][method].responses[status]
    if (found === undefined) return `${status} is not in the document`
    const pointer = found.$ref ?? encodeURI(at)
    const { content } = found.$ref === undefined ? found : document.components.responses[found.$ref.split('/').at(-1)]
    if (content === undefined) return text === '' ? null : 'a body where none is told of'
    const [type = ''] = Object.keys(content)
    if (!headers.get('content-type')?.startsWith(type)) return `${type} expected, not ${headers.get('content-type')}`
    if (type !== 'application/json') return null
    const media = `${pointer}/content/${encodeURIComponent(type).replaceAll('%2F', '~1')}/schema`
    return ajv.validate({ $ref: `openapi${media}` }, body) ? null : ajv.errorsText()
  }
}

/** Where a reply has other keys than the example; every item of an example's list must have its like in the reply's. */
export function strangeKeys(example: unknown, actual: unknown, at = 'body'): string | null {
  if (Array.isArray(example)) {
    if (!Array.isArray(actual)) return `${at} is no list`
    // Of ids and texts there may be none.
    const missing = example.findIndex(
      (item) => isObject(item) && actual.every((other) => strangeKeys(item, other) !== null),
    )
    if (missing < 0) return null
    return `${at}[${missing}] has no like: ${strangeKeys(example[missing], actual[0], `${at}[0]`)}`
  }
  if (!isObject(example))
    return isObject(actual) || Array.isArray(actual) ? `${at} is more than the example shows` : null
  if (!isObject(actual)) return `${at} is no object`
  const [expected, found] = [Object.keys(example), Object.keys(actual)]
  if (expected.join() !== found.join()) return `${at} has ${found}, not ${expected}`
  return (
    expected.map((key) => strangeKeys(example[key], actual[key], `${at}.${key}`)).find((fault) => fault !== null) ??
    null
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
