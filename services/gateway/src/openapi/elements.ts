import { listParams } from '@worlds/domain/query'
import type { Category } from '@worlds/domain/registry'
import type { elementParams } from '../routes/elements'
import { readExample, writtenExample } from './category-examples'
import { categorySchemas, nameOf } from './category-schemas'
import { type Description, done, type Parameter, type Resource } from './description'
import { elementId } from './examples'
import { as, cursor, expand, fieldsOf, filterOf, idempotencyKey, ifMatch, limit } from './parameters'
import { fields, listOf, ref, uuids } from './schema'

type Parameters<Name extends string> = Readonly<Record<Name, Parameter>>

const path = '/api/v2/:type'

/** The routes of one category, whose slug stands for `:type`. */
export function elementsOf(category: Category, extensionPrefixes: readonly string[]): Resource {
  const { slug } = category
  return {
    tag: { name: slug, description: `Elements of the category ${slug}.` },
    schemas: categorySchemas(category, extensionPrefixes),
    routes: {
      [`GET ${path}`]: list(category, extensionPrefixes),
      [`POST ${path}`]: create(category, extensionPrefixes),
      [`GET ${path}/:id`]: get(category, extensionPrefixes),
      [`PUT ${path}/:id`]: put(category, extensionPrefixes),
      [`PATCH ${path}/:id`]: patch(category, extensionPrefixes),
      [`DELETE ${path}/:id`]: {
        id: `delete-${slug}`,
        summary: `Delete a ${slug}`,
        description: 'Takes its id out of every link in the same step. What is not there is deleted already.',
        replies: { 204: done('It is not there any longer.') },
        codes: ['not_author'],
      },
      [`PUT ${path}/:id/hidden`]: hide(slug),
      [`DELETE ${path}/:id/hidden`]: {
        id: `unhide-${slug}`,
        summary: `Show a hidden ${slug} again`,
        description: 'For the owner and co-builders.',
        body: hideBody,
        replies: { 204: done('It is not hidden any longer.') },
        codes: ['not_found'],
      },
      [`POST ${path}/:id/links/:field`]: links(category, extensionPrefixes),
    },
  }
}

function list(category: Category, prefixes: readonly string[]): Description {
  const { slug } = category
  const paging: Parameters<(typeof listParams)[number]> = {
    limit: limit(100, 1000, 2),
    cursor,
    expand: expand(category),
    fields: fieldsOf(category),
    as,
  }
  const name = nameOf(slug)
  return {
    id: `list-${slug}`,
    summary: `List ${slug} elements`,
    description: 'In the order of their last change: in one walk each that does not change meanwhile comes once.',
    query: {
      ...Object.fromEntries(listParams.map((param) => [param, paging[param]])),
      ...Object.fromEntries(category.filters.map((filter) => [filter, filterOf(filter)])),
    },
    replies: {
      200: {
        description: 'One page.',
        schema: { anyOf: [ref(`${name}List`), ref(`${name}PartList`)] },
        example: { data: [readExample(category, prefixes)], has_more: false, next_cursor: null },
      },
    },
  }
}

function get(category: Category, prefixes: readonly string[]): Description {
  const { slug } = category
  const query: Parameters<(typeof elementParams)[number]> = {
    expand: expand(category),
    fields: fieldsOf(category),
    as,
  }
  const name = nameOf(slug)
  return {
    id: `get-${slug}`,
    summary: `Read a ${slug}`,
    query,
    replies: {
      200: {
        description: `The ${slug}.`,
        schema: { anyOf: [ref(name), ref(`${name}Part`)] },
        example: readExample(category, prefixes),
      },
    },
    codes: ['not_found', 'gone'],
  }
}

function create(category: Category, prefixes: readonly string[]): Description {
  const { slug } = category
  return {
    id: `create-${slug}`,
    summary: `Create a ${slug}`,
    headers: { 'Idempotency-Key': idempotencyKey },
    body: { schema: ref(`${nameOf(slug)}Write`), example: writtenExample(category, prefixes) },
    replies: {
      201: {
        description: 'Created.',
        schema: ref(nameOf(slug)),
        example: readExample(category, prefixes),
        headers: ['Idempotent-Replay'],
      },
    },
    codes: ['invalid_link', 'not_found', 'id_conflict', 'idempotency_error'],
  }
}

function put(category: Category, prefixes: readonly string[]): Description {
  const { slug } = category
  const schema = ref(nameOf(slug))
  return {
    id: `put-${slug}`,
    summary: `Create or replace a ${slug}`,
    description: 'What is left out becomes empty. The path names the element; an id in the body is dropped.',
    body: { schema: ref(`${nameOf(slug)}Write`), example: writtenExample(category, prefixes) },
    replies: {
      200: { description: 'Replaced.', schema, example: readExample(category, prefixes) },
      201: { description: 'Created.', schema },
    },
    codes: ['invalid_link', 'not_author', 'not_found', 'id_conflict'],
  }
}

function patch(category: Category, prefixes: readonly string[]): Description {
  const { slug } = category
  const written = { ...writtenExample(category, prefixes), description: 'Changed.' }
  return {
    id: `patch-${slug}`,
    summary: `Change a ${slug}`,
    description: 'What is left out stays; a list replaces the whole list; extension fields are merged by name.',
    headers: { 'If-Match': ifMatch },
    body: { schema: ref(`${nameOf(slug)}Patch`), example: { description: 'Changed.' } },
    replies: {
      200: { description: 'Changed.', schema: ref(nameOf(slug)), example: readExample(category, prefixes, written) },
    },
    codes: ['invalid_link', 'not_author', 'not_found', 'precondition_failed'],
  }
}

function links(category: Category, prefixes: readonly string[]): Description | null {
  const { slug } = category
  const multi = [...category.links.values()].filter(({ kind }) => kind === 'multi_link')
  const [first] = multi
  if (first?.target == null) return null
  const body = { add: [elementId(first.target, 2)], remove: [elementId(first.target, 3)] }
  return {
    id: `link-${slug}`,
    summary: `Add links to a ${slug} and remove some`,
    description: 'An id in both lists stays. Removing what is not linked changes nothing.',
    path: {
      field: {
        schema: { type: 'string', enum: multi.map(({ name }) => name) },
        description: 'A field that holds several links.',
        example: first.name,
      },
    },
    headers: { 'If-Match': ifMatch },
    body: { schema: ref('LinkEdit'), example: body },
    replies: {
      200: {
        description: `The ${slug} with its links.`,
        schema: ref(nameOf(slug)),
        example: readExample(category, prefixes),
      },
    },
    codes: ['invalid_link', 'not_author', 'not_found', 'precondition_failed'],
  }
}

const hideBody = {
  schema: fields({ fields: { ...listOf({}), maxItems: 0, description: 'Single fields cannot be hidden.' } }),
  example: { fields: [] },
  optional: true,
}

function hide(slug: string): Description {
  return {
    id: `hide-${slug}`,
    summary: `Hide a ${slug}`,
    description:
      'For the owner and co-builders. Whoever else did not create it is answered as if it were not there, and links to it are left out.',
    body: hideBody,
    replies: { 204: done('It is hidden.') },
    codes: ['not_found'],
  }
}

/** Components of these routes that have no category's name. */
export const linkSchemas = {
  LinkEdit: fields({ add: uuids, remove: uuids }),
}
