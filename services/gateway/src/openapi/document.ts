/**
 * The OpenAPI document, made of the route table, the registry of categories and the descriptions. A route without a
 * description, or a description without a route, is a fault: the document is not made, and the gateway does not start.
 */
import type { Route } from '../routes/route'
import type { Description, Parameter, Resource, Success } from './description'
import { codesOf, ErrorReplies, type Facts, headerRefs, isBudgeted } from './errors'
import { headers, info, securityOf, securitySchemes } from './frame'
import { parameterOf, parametersOf, pathOf } from './paths'
import type { Resources } from './resources'
import type { Schema } from './schema'

export interface Operation {
  readonly operationId: string
  readonly [part: string]: unknown
}

export interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  readonly [section: string]: unknown
}

/** As much of a route as its description follows from. */
export type DescribedRoute = Pick<Route, 'method' | 'path' | 'isNeverKept' | 'access'> & { readonly takesAs?: boolean }

/** Only routes of the current dialect are described. */
const prefix = '/api/v2/'

export function makeDocument(routes: readonly DescribedRoute[], resources: Resources): Document {
  const described = routes.filter(({ path }) => path.startsWith(prefix))
  refuseDrift(described, resources)
  const errors = new ErrorReplies()
  const paths: Record<string, Record<string, Operation>> = {}
  const add = (route: DescribedRoute, slug: string | null, { tag, routes: descriptions }: Resource) => {
    const description = descriptions[keyOf(route)]
    if (description == null) return
    const path = pathOf(route.path, slug)
    paths[path] = { ...paths[path], [route.method]: operationOf(factsOf(route), slug, tag.name, description, errors) }
  }
  for (const resource of resources.named) {
    for (const route of described) add(route, null, resource)
  }
  for (const [slug, resource] of resources.byCategory) {
    for (const route of described) add(route, slug, resource)
  }
  const all = [...resources.named, ...resources.byCategory.values()]
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    tags: all.map(({ tag }) => tag),
    paths,
    components: {
      schemas: Object.assign({}, resources.schemas, ...all.map(({ schemas }) => schemas)),
      responses: errors.components,
      headers,
      securitySchemes,
    },
  }
}

const keyOf = ({ method, path }: DescribedRoute) => `${method.toUpperCase()} ${path}`

/** Each route has one description of its own, or one in each category; and each description a route. */
function refuseDrift(routes: readonly DescribedRoute[], { named, byCategory }: Resources): void {
  const known = new Set(routes.map(keyOf))
  const faults: string[] = []
  for (const resource of [...named, ...byCategory.values()]) {
    for (const key of Object.keys(resource.routes))
      if (!known.has(key)) faults.push(`${key} is described, but no route`)
  }
  for (const key of known) {
    const holders = key.includes('/:type')
      ? [...byCategory.values()]
      : [{ routes: Object.assign({}, ...named.map((one) => one.routes)) }]
    if (!holders.every((holder) => key in holder.routes)) faults.push(`${key} is not described`)
  }
  if (faults.length > 0) throw new Error(`the document would not be true: ${[...new Set(faults)].join('; ')}`)
}

function factsOf({ method, path, access, takesAs = false, isNeverKept = false }: DescribedRoute): Facts {
  return { method, path, access, takesAs, isNeverKept }
}

function operationOf(
  facts: Facts,
  slug: string | null,
  tag: string,
  description: Description,
  errors: ErrorReplies,
): Operation {
  const { id, summary, query = {}, headers: read = {}, body } = description
  const parameters = [
    ...parametersOf(facts.path, slug, description.path).map((one) => ({ in: 'path', ...one, required: true })),
    ...parametersIn('query', query),
    ...parametersIn('header', read),
  ]
  return {
    tags: [tag],
    operationId: id,
    summary,
    ...(description.description === undefined ? {} : { description: description.description }),
    security: securityOf(facts.access),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.optional !== true,
            content: { 'application/json': { schema: body.schema, example: body.example } },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(description.replies).map(([status, one]) => [status, successOf(facts, one)]),
      ),
      ...errors.repliesOf(facts, codesOf(facts, description)),
    },
  }
}

function parametersIn(place: 'query' | 'header', parameters: Readonly<Record<string, Parameter>>): Schema[] {
  return Object.entries(parameters).map(([name, parameter]) => parameterOf(place, name, parameter))
}

function successOf({ access, isNeverKept }: Facts, { description, schema, example, headers = [], type }: Success) {
  const names = [
    ...headers,
    ...(isBudgeted(access) ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []),
    ...(isNeverKept ? ['Cache-Control'] : []),
  ]
  const media = { schema, ...(example === undefined ? {} : { example }) }
  return {
    description,
    ...(names.length === 0 ? {} : { headers: headerRefs(names) }),
    ...(schema === undefined ? {} : { content: { [type ?? 'application/json']: media } }),
  }
}
