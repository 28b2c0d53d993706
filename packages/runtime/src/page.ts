/**
 * Pages end at a number of rows or at a number of bytes, whichever comes first. Summing sizes up in
 * SQL costs as much as reading the rows; so it is left to worlds whose largest element could make a
 * page too large. A page is first read without sums, by SQL that finds no rows in such a world, and
 * there once more with them.
 */
import type { Row } from './postgres'

/** Bytes of bodies after which a page ends, though never before its first row. */
export const pageBytes = 8 << 20

/** Lets rows through only while a page of the largest elements would fit: `h` is the world's head row. */
const gate = `and h.largest::bigint * $4::int <= ${pageBytes}`

/**
 * SQL of a page `p` to join to the head row. `rowsOf` gives the rows, up to `limit $4`, ordered by
 * and with `change_seq` and `size`, with a further condition put in.
 */
export function pageSql(rowsOf: (condition: string) => string, sums: boolean): string {
  if (!sums) return `left join lateral (${rowsOf(gate)}) p on true`
  return `left join lateral (
      select r.*,
        sum(r.size) over (order by r.change_seq rows between unbounded preceding and 2 preceding) as before_last
      from (${rowsOf('')}) r
    ) p on coalesce(p.before_last, 0) < ${pageBytes}`
}

export function needsSums(largest: number, rows: number): boolean {
  return largest * rows > pageBytes
}

export interface Cut {
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

/** Cuts what was read, one row beyond the page where there is one. `sizeAt` is where a row has its size. */
export function cutPage(rows: readonly Row[], limit: number, sizeAt: number): Cut {
  let bytes = 0
  let count = 0
  while (count < Math.min(limit, rows.length) && bytes < pageBytes) {
    bytes += Number(rows[count]?.[sizeAt])
    count += 1
  }
  return { rows: rows.slice(0, count), hasMore: count < rows.length }
}
