/**
 * What full-text search knows of an element: the words of its description and of its category's text fields, in lower
 * case, whole and not stemmed (D20). A word is a run of letters, marks and digits, so that no word holds an operator.
 */
import { type Members, textOf } from './element-body'
import { foldName } from './fold'
import type { Category } from './registry'

const word = /[\p{L}\p{M}\p{N}]+/gu

/** UTF-16 units. A search takes 200 characters: a longer word is never looked for whole. */
const longestWord = 400

/** Bytes of one element's words: PostgreSQL's tsvector ends at a mebibyte. Words beyond that are not found. */
const wordsLimit = 1_000_000

/** Distinct words of a text. */
export function wordsOf(text: string): Set<string> {
  return new Set(foldName(text).match(word) ?? [])
}

/** Words that an element is found by, between blanks; none for an element without text. */
export function elementWords(category: Category, members: Members): string {
  const words = new Set<string>()
  let bytes = 0
  for (const name of textFieldsOf(category)) {
    const raw = members.get(name)
    if (raw === undefined || raw === '""') continue
    for (const found of wordsOf(textOf(members, name))) {
      if (words.has(found) || found.length > longestWord) continue
      bytes += Buffer.byteLength(found)
      if (bytes > wordsLimit) return [...words].join(' ')
      words.add(found)
    }
  }
  return [...words].join(' ')
}

/** Whether two states of an element are found by the same words. */
export function sameWords(category: Category, one: Members, other: Members): boolean {
  return textFieldsOf(category).every((name) => (one.get(name) ?? '""') === (other.get(name) ?? '""'))
}

const textFields = new WeakMap<Category, readonly string[]>()

function textFieldsOf(category: Category): readonly string[] {
  let names = textFields.get(category)
  if (names === undefined) {
    names = ['description', ...category.fields.filter(({ kind }) => kind === 'text').map(({ name }) => name)]
    textFields.set(category, names)
  }
  return names
}

/** In how many ways a text is looked for: as a whole name, its beginning, a part of it; and by words, where it has any. */
export function searchWays(q: string): number {
  return wordsOf(q).size === 0 ? 3 : 4
}
