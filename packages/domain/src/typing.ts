/**
 * Supertypes and subtypes that are suggested for each category; an element may have any others. Written as a supertype
 * with a colon and the subtypes that follow it, all without blanks.
 */
import { concepts } from './typings/concepts'
import { content } from './typings/content'
import { entities } from './typings/entities'
import { places } from './typings/places'

/** Subtypes by their supertype, in order. */
export type Typing = ReadonlyMap<string, readonly string[]>

const typings: ReadonlyMap<string, Typing> = new Map(
  Object.entries({ ...entities, ...places, ...concepts, ...content }).map(([slug, text]) => [slug, readTyping(text)]),
)

const none: Typing = new Map()

/** What is suggested for a category; nothing for some. */
export function typingOf(slug: string): Typing {
  return typings.get(slug) ?? none
}

function readTyping(text: string): Typing {
  const typing = new Map<string, string[]>()
  let subtypes: string[] = []
  for (const token of text.trim().split(/\s+/)) {
    if (token.endsWith(':')) {
      subtypes = []
      typing.set(token.slice(0, -1), subtypes)
    } else {
      subtypes.push(token)
    }
  }
  return typing
}
