import { createHash } from 'node:crypto'
import { categories, type Field } from '@worlds/domain/registry'
import type { Item } from './item'
import { SeededRandom } from './random'
import { descriptions, names, subtypes, supertypes } from './sample-words'

/**
 * Made-up elements: categories in turn, every field and every kind of link somewhere (later ones
 * included), names in several scripts, extension fields. World, seed and count decide every byte.
 */
export function sampleItems(world: string, count: number, seed: number): Item[] {
  const random = new SeededRandom(seed)
  const slugs = [...categories.keys()]
  const ids = new Map<string, string[]>(slugs.map((slug) => [slug, []]))
  const plan = Array.from({ length: count }, (_, index) => {
    const type = slugs[index % slugs.length] as string
    const id = idOf(`${world}:${seed}:${index}`)
    ids.get(type)?.push(id)
    return { type, id }
  })
  return plan.map(({ type, id }, index) => {
    const element = { id, ...baseValues(random, index), ...ownValues(random, type, ids) }
    const members = Object.entries(element).map(([name, value]) => [name, JSON.stringify(value)] as const)
    return { type, id, members: new Map(members) }
  })
}

function baseValues(random: SeededRandom, index: number): Record<string, unknown> {
  return {
    name: `${random.pick(names)} ${random.pick(names)} ${index + 1}`,
    description: random.chance(0.8)
      ? Array.from({ length: 1 + random.below(4) }, () => random.pick(descriptions)).join(' ')
      : '',
    supertype: random.chance(0.7) ? random.pick(supertypes) : '',
    subtype: random.chance(0.4) ? random.pick(subtypes) : '',
    image_url: random.chance(0.1) ? `https://images.example.org/${index}.png` : '',
    ...(random.chance(0.3)
      ? { tool_colour: random.pick(['#a03', '#0c8', '#228']), x_rank: random.below(100) / 4 }
      : {}),
    ...(random.chance(0.1)
      ? { shadow_note: { text: random.pick(descriptions), at: [random.below(9), null, true] } }
      : {}),
  }
}

function ownValues(
  random: SeededRandom,
  type: string,
  ids: ReadonlyMap<string, readonly string[]>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const field of categories.get(type)?.fields ?? []) {
    if (!random.chance(0.5)) continue
    if (field.kind === 'generic_type' || field.kind === 'generic_id') Object.assign(values, genericLink(random, ids))
    else values[field.name] = makeValue(random, field, ids)
  }
  return values
}

function makeValue(random: SeededRandom, field: Field, ids: ReadonlyMap<string, readonly string[]>): unknown {
  const targets = ids.get(field.target ?? '') ?? []
  if (field.kind === 'text') return random.pick(descriptions)
  if (field.kind === 'integer')
    return (field.minimum ?? 0) + random.below((field.maximum ?? 2_000) - (field.minimum ?? 0) + 1)
  if (field.kind === 'single_link') return targets.length === 0 ? null : random.pick(targets)
  return targets.length === 0
    ? []
    : [...new Set(Array.from({ length: 1 + random.below(4) }, () => random.pick(targets)))]
}

/** Pin's link is a pair. */
function genericLink(random: SeededRandom, ids: ReadonlyMap<string, readonly string[]>): Record<string, unknown> {
  const [type, targets] = random.pick([...ids].filter(([, known]) => known.length > 0))
  return { element_type: type, element_id: random.pick(targets) }
}

/** Ids are unique across worlds, so the world goes into them. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
