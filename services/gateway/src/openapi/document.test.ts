import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { baseFields, categories, serverFields } from '@worlds/domain/registry'
import { fileKinds, maxFileBytes, worldFileBytes } from '@worlds/storage/kinds'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { routes } from '../routes/table'
import { type Document, makeDocument, type Operation } from './document'
import { openRoutes } from './open'
import { describeAll } from './resources'

const prefixes = ['tool_', 'x_']
const all = [...routes, ...openRoutes]
const document = makeDocument(all, describeAll(prefixes))
const { schemas = {} } = document.components
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects in the document.
type Any = any

test('it is OpenAPI 3.1 by the schema of that', () => {
  const folder = mkdtempSync(join(tmpdir(), 'worlds-openapi-'))
  try {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(document))
    // An ES module, which jest cannot load.
    const script = `
      import { readFileSync } from 'node:fs'
      import { Validator } from '@seriousme/openapi-schema-validator'
      const { valid, errors } = await new Validator().validate(JSON.parse(readFileSync(process.argv[1], 'utf8')))
      console.log(JSON.stringify({ valid, errors }))`
    const options = { cwd: __dirname, encoding: 'utf8' } as const
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script, file], options)
    expect(JSON.parse(out)).toEqual({ valid: true })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a route without a description is refused, and a description without a route', () => {
  const resources = describeAll(prefixes)
  const added = { method: 'get', path: '/api/v2/news', access: 'read' } as const
  expect(() => makeDocument([...all, added], resources)).toThrow('GET /api/v2/news is not described')
  const ofElements = { method: 'get', path: '/api/v2/:type/:id/age', access: 'read' } as const
  expect(() => makeDocument([...all, ofElements], resources)).toThrow('GET /api/v2/:type/:id/age is not described')
  const without = all.filter(({ path }) => path !== '/api/v2/me')
  expect(() => makeDocument(without, resources)).toThrow('GET /api/v2/me is described, but no route')
})

test('routes of other dialects are none of its business', () => {
  expect(Object.keys(document.paths).filter((path) => !path.startsWith('/api/v2/'))).toEqual([])
})

test('each operation has an id of its own', () => {
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every reference leads somewhere, and every component is used', () => {
  const text = JSON.stringify(document)
  const used = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name))
  const { responses = {}, headers = {} } = document.components
  const sections = { schemas, responses, headers }
  const known = Object.entries(sections).flatMap(([section, held]) =>
    Object.keys(held).map((name) => `${section}/${name}`),
  )
  expect([...used].filter((name) => !known.includes(name as string))).toEqual([])
  expect(known.filter((name) => !used.has(name))).toEqual([])
})

test('each operation has a worked example that its own schemas take', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema(document as Any, 'openapi')
  const faults: string[] = []
  const check = ({ operationId }: Operation, what: string, media: Any) => {
    const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"openapi#/'))
    if (!ajv.validate(schema, media.example)) faults.push(`${operationId}, ${what}: ${ajv.errorsText()}`)
  }
  for (const operation of operations as Any[]) {
    const body = operation.requestBody?.content['application/json']
    if (body !== undefined) check(operation, 'body', body)
    const replies = Object.entries<Any>(operation.responses).filter(([status]) => status < '300')
    const media = replies.flatMap(([, { content = {} }]) => Object.values<Any>(content))
    const examples = media.filter(({ example }) => example !== undefined)
    if (media.length > 0 && examples.length !== 1 && !isOfTheDocument(operation))
      faults.push(`${operation.operationId}: no example`)
    for (const one of examples) check(operation, 'reply', one)
    for (const parameter of operation.parameters ?? []) {
      if (parameter.required && parameter.example === undefined)
        faults.push(`${operation.operationId}: ${parameter.name}`)
      if (parameter.example !== undefined) check(operation, parameter.name, parameter)
    }
  }
  expect(faults).toEqual([])
})

const isOfTheDocument = ({ operationId }: Operation) => operationId === 'get-openapi' || operationId === 'get-docs'

test('a category is read whole, and written without what the server sets', () => {
  const { Character, CharacterWrite, CharacterList } = schemas as Any
  const own = [...baseFields, ...(categories.get('character')?.fields ?? [])].map(({ name }) => name)
  expect(Character.required).toEqual(['type', 'id', ...own, ...serverFields])
  expect(CharacterWrite.required).toEqual(['name'])
  expect(Object.keys(CharacterWrite.properties)).toEqual(['id', ...own])
  expect(Object.keys(CharacterList.properties)).toEqual(['data', 'has_more', 'next_cursor'])
  expect(Object.keys(Character.patternProperties)).toEqual(['^(tool_|x_)'])
  expect(Character.properties.friends).toMatchObject({ type: 'array', items: { type: 'string', format: 'uuid' } })
})

test('an error is the envelope and no more', () => {
  const { Error: error } = schemas as Any
  const keys = ['type', 'code', 'message', 'param', 'doc_url']
  expect(Object.keys(error.properties)).toEqual(['error'])
  expect(Object.keys(error.properties.error.properties)).toEqual(keys)
  expect(error.properties.error.required).toEqual(keys)
  expect(error.properties.error.properties.type.enum).toHaveLength(7)
})

test('links are edited by the fields that hold several, which three categories have none of', () => {
  const fieldOf = (slug: string) =>
    (document as Any).paths[`/api/v2/${slug}/{id}/links/{field}`]?.post.parameters.find(
      ({ name }: Any) => name === 'field',
    )
  expect(fieldOf('character').schema.enum).toContain('friends')
  expect(fieldOf('character').schema.enum).not.toContain('location')
  expect(['map', 'marker', 'pin'].map(fieldOf)).toEqual([undefined, undefined, undefined])
  expect([...categories.keys()].filter((slug) => fieldOf(slug) === undefined)).toHaveLength(3)
})

test('what it tells of files is what the upload host holds to', () => {
  const { FileTicketRequest } = schemas as Any
  expect(FileTicketRequest.properties.kind.enum).toEqual([...fileKinds.keys()])
  expect(FileTicketRequest.properties.size.maximum).toBe(maxFileBytes)
  expect(exampleOf(document, 'list-world-files').cap_bytes).toBe(worldFileBytes)
})

function exampleOf({ paths }: Document, id: string): Any {
  const found = Object.values(paths).flatMap((methods) => Object.values(methods) as Any[])
  return found.find(({ operationId }) => operationId === id).responses[200].content['application/json'].example
}
