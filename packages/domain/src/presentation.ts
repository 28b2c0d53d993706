/** Shows a full body with `fields` chosen and links expanded (list query parameters; A33). */
import { scanMembers } from './json-spans'

/** Keys that `fields` never leaves out. */
const always = ['type', 'id', 'updated_at']

export interface Presentation {
  /** Keys to show; null for all. */
  readonly fields: readonly string[] | null
  /** Link fields to show as stubs. */
  readonly expand: readonly string[]
}

export function isPlain({ fields, expand }: Presentation): boolean {
  return fields === null && expand.length === 0
}

/** Ids whose stubs a body needs. */
export function stubIds(body: string, { expand, fields }: Presentation): string[] {
  const members = scanMembers(body)
  return expand.filter((name) => fields === null || fields.includes(name)).flatMap((name) => readIds(members.get(name)))
}

/** `stubs` holds JSON text by id; an id without one has gone meanwhile and is left out. */
export function present(body: string, { fields, expand }: Presentation, stubs: ReadonlyMap<string, string>): string {
  const members = scanMembers(body)
  for (const name of expand) {
    const raw = members.get(name)
    if (raw === undefined) continue
    const found = readIds(raw).flatMap((id) => stubs.get(id) ?? [])
    members.set(name, raw.startsWith('[') ? `[${found.join()}]` : (found[0] ?? 'null'))
  }
  const shown = [...members].filter(([name]) => fields === null || always.includes(name) || fields.includes(name))
  return `{${shown.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join()}}`
}

function readIds(raw: string | undefined): string[] {
  if (raw === undefined || raw === 'null') return []
  const value = JSON.parse(raw) as string | string[]
  return typeof value === 'string' ? [value] : value
}
