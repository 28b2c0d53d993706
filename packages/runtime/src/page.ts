/**
 * Pages end at a number of rows or at a number of bytes, whichever comes first. Summing sizes up in
 * SQL costs as much as reading the rows; so it is left to worlds whose largest element could make a
 * page too large. A page is first read without sums, by SQL that finds no rows in such a world, and
 * there once more with them.
 */

/** Bytes of bodies that a page holds at most, unless its first row alone is larger. */
export const pageBytes = 8 << 20

/** Lets rows through only while a page of the largest elements would fit: `h` is the world's head row. */
const gate = `and h.largest::bigint * $4::int <= ${pageBytes}`

/**
 * SQL of a page `p` to join to the head row. `rowsOf` gives the rows, up to `limit $4`, ordered by
 * and with `change_seq` and `size`, with a further condition put in; `isCut`: and with `unseen`, the
 * links that are left out of what is shown. A page whose length told of those would betray them.
 */
export function pageSql(rowsOf: (condition: string) => string, sums: boolean, isCut = false): string {
  if (!sums) return `left join lateral (${rowsOf(gate)}) p on true`
  const size = isCut ? `r.size - ${shortestLink} * coalesce(cardinality(r.unseen), 0)` : 'r.size'
  return `left join lateral (
      select r.*,
        sum(${size}) over (order by r.change_seq rows between unbounded preceding and 2 preceding) as before_last
      from (${rowsOf('')}) r
    ) p on coalesce(p.before_last, 0) < ${pageBytes}`
}

/** `"…",` of a list. A single link leaves a `null`: SQL counts it short and reads a little more than is shown. */
const shortestLink = 39

export function needsSums(largest: number, rows: number): boolean {
  return largest * rows > pageBytes
}

export interface Cut<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
}

/** Cuts what was read, one item beyond the page where there is one. Sizes are of what is shown. */
export function cutPage<T extends { readonly size: number }>(
  found: readonly T[],
  limit: number,
  most = pageBytes,
): Cut<T> {
  let bytes = 0
  let count = 0
  for (const { size } of found.slice(0, limit)) {
    if (count > 0 && bytes + size > most) break
    bytes += size
    count += 1
  }
  return { items: found.slice(0, count), hasMore: count < found.length }
}
