/** What a category can hold, and what a reader's world holds of it (open-shapes 7, D21). */
import { invalid, missingKey, noSuch, RefusalError } from '@worlds/domain/errors'
import { refuseUnknown } from '@worlds/domain/query'
import { type Category, categories, type Field } from '@worlds/domain/registry'
import { typingOf } from '@worlds/domain/typing'
import type { TypingCount__Output as TypingCount } from '@worlds/proto/generated/worlds/element/v1/TypingCount'
import { fromWire } from '@worlds/runtime/refusals'
import { type Answer, json, refuse } from '../http/answer'
import { metadata } from '../http/dialect'
import { asOf } from './elements'
import type { Call, OpenRoute, WorldCall, WorldRoute } from './route'

const path = '/api/metadata/:type'
const common = { method: 'get', access: 'read', dialect: metadata, takesAs: true } as const
const isKnown = ({ type = '' }: Record<string, string>) => categories.has(type)

export const metadataRoutes: readonly (WorldRoute | OpenRoute)[] = [
  { ...common, path, matches: isKnown, keyless: describeAlone, handle: describe },
  { ...common, path: `${path}/sections`, matches: isKnown, keyless: sectionsAlone, handle: sections },
  // A category that is unknown is told before any key is looked at: it is no path of this dialect.
  unknownType(path),
  unknownType(`${path}/sections`),
]

function unknownType(path: string): OpenRoute {
  return { method: 'get', path, access: 'open', dialect: metadata, handle: async () => refuse(noSuch('category')) }
}

async function describeAlone(call: Call): Promise<Answer> {
  refuseKeylessAs(call)
  return showType(call, [])
}

async function describe(call: WorldCall): Promise<Answer> {
  const as = asOf(call)
  refuseUnknown(call.query, ['as'])
  const { clients, principal, params } = call
  const { counts, refusal } = await clients.countTypings({ principal, type: params.type ?? '', as })
  if (refusal) return refuse(fromWire(refusal))
  return counts ? showType(call, counts.counts) : { kind: 'ask-again' }
}

async function sectionsAlone(call: Call): Promise<Answer> {
  refuseKeylessAs(call)
  return showSections(call)
}

/** Shows the same to everybody, and yet only to a reader that is one. */
async function sections(call: WorldCall): Promise<Answer> {
  const answer = await describe(call)
  return answer.kind === 'reply' ? showSections(call) : answer
}

/** Reading as another is the owner's, who comes with a key. */
function refuseKeylessAs({ query }: Call): void {
  if (query.has('as')) throw new RefusalError(missingKey())
  refuseUnknown(query, [])
}

function showType({ params }: Call, counts: readonly TypingCount[]): Answer {
  const { slug, fields } = categoryOf(params)
  return json(200, { type: slug, fields: fields.map(showField), supertypes: showTyping(slug, counts) })
}

/** A field as it is told of. */
export function showField({ name, kind, target, section, minimum, maximum }: Field) {
  return { name, kind: kindNames[kind], target, section, minimum, maximum }
}

/** Of pin's link to any category the one half is a text and the other an id. */
const kindNames = {
  text: 'text',
  integer: 'integer',
  single_link: 'single_link',
  multi_link: 'multi_link',
  generic_type: 'text',
  generic_id: 'single_link',
} as const

/** Suggestions first, in their order; then what else is used, by name. */
function showTyping(slug: string, counts: readonly TypingCount[]) {
  const suggested = typingOf(slug)
  return merged([...suggested.keys()], counts, ({ supertype }) => supertype).map(({ value, isSuggested, rows }) => ({
    value,
    suggested: isSuggested,
    used: sum(rows),
    subtypes: merged(suggested.get(value) ?? [], rows, ({ subtype }) => subtype).map((one) => ({
      value: one.value,
      suggested: one.isSuggested,
      used: sum(one.rows),
    })),
  }))
}

function merged(suggested: readonly string[], counts: readonly TypingCount[], nameOf: (row: TypingCount) => string) {
  const used = new Map<string, TypingCount[]>()
  for (const row of counts) used.set(nameOf(row), [...(used.get(nameOf(row)) ?? []), row])
  const others = [...used.keys()].filter((value) => value !== '' && !suggested.includes(value)).sort()
  return [...suggested, ...others].map((value, index) => ({
    value,
    isSuggested: index < suggested.length,
    rows: used.get(value) ?? [],
  }))
}

function sum(rows: readonly TypingCount[]): number {
  return rows.reduce((total, { used }) => total + used, 0)
}

function showSections({ params }: Call): Answer {
  const { slug, fields } = categoryOf(params)
  const names = new Map<string, string[]>()
  for (const { name, section } of fields) names.set(section, [...(names.get(section) ?? []), name])
  return json(200, { type: slug, sections: [...names].map(([name, fields]) => ({ name, fields })) })
}

function categoryOf({ type = '' }: Record<string, string>): Category {
  const category = categories.get(type)
  if (category === undefined) throw new RefusalError(invalid('type', 'There is no such category.'))
  return category
}
