/** An element of about 1 KB of JSON, as written. */
export function elementOf(index: number): object {
  return {
    name: `Someone ${index} of the ${index % 97}th house`,
    description: `${'They crossed the river before dawn and told nobody what they had seen there. '.repeat(5)}${index}`,
    supertype: `kind-${index % 7}`,
    background: 'Raised at the edge of the old forest, sent away at twelve, back at thirty.',
    height: 150 + (index % 50),
    level: index % 20,
    x_note: { seen: index, tags: ['a', 'b'] },
  }
}

export function batchOf(count: number, from = 0): string {
  const items = Array.from({ length: count }, (_, index) => ({ type: 'character', element: elementOf(from + index) }))
  return JSON.stringify({ items })
}
