import { type Link, linksOf, rawValue, relink, scrub } from '@worlds/domain/element-body'
import { categories } from '@worlds/domain/registry'

/** One element on its way in. Members are raw JSON text, so that numbers keep their spelling. */
export interface Item {
  readonly type: string
  readonly id: string | undefined
  readonly members: ReadonlyMap<string, string>
}

export function itemText(item: Item): string {
  const members = [...item.members].map(([name, raw]) => `${JSON.stringify(name)}:${raw}`)
  return `{"type":${rawValue(item.type)},"element":{${members.join(',')}}}`
}

export function linksOfItem(item: Item): Link[] {
  const category = categories.get(item.type)
  return category === undefined ? [] : readable(() => linksOf(category, new Map(item.members)))
}

/** The item without its links to `targets`. */
export function withoutLinks(item: Item, targets: readonly string[]): Item {
  const category = categories.get(item.type)
  if (category === undefined) return item
  const members = new Map(item.members)
  scrub(category, members, new Set(targets))
  return { ...item, members }
}

/** Copies: ids are new, links between the items follow, and all else stays as it is. */
export function withNewIds(items: readonly Item[], newId: () => string): Item[] {
  const ids = new Map(items.flatMap(({ id }) => (id === undefined ? [] : [[id.toLowerCase(), newId()] as const])))
  return items.map((item) => {
    const members = new Map(item.members)
    const id = item.id && ids.get(item.id.toLowerCase())
    if (id !== undefined) members.set('id', rawValue(id))
    const category = categories.get(item.type)
    if (category !== undefined && linksOfItem(item).length > 0) relink(category, members, ids)
    return { ...item, id, members }
  })
}

/** A link of a wrong shape is for the server to refuse. */
function readable(read: () => Link[]): Link[] {
  try {
    return read().filter(({ target }) => typeof target === 'string')
  } catch {
    return []
  }
}
