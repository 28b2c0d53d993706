/**
 * The statement of a feed's page: the head row with the live elements, the tombstones and, for who
 * is told of hides, the hidden ones after a place, merged by place. One statement, so one snapshot,
 * in which every place up to the head is either there, superseded or none of the reader's business.
 */
import type { View } from '@worlds/domain/view'
import { pageSql } from '@worlds/runtime/page'
import { nameByText, type Statement } from '@worlds/runtime/postgres'
import { memberSql, oncePerReader, type Reader } from '@worlds/views/reader'
import { grantedSql, hiddenSql, type Param, sawSql, seesSql, tailSql, unseenSql } from '@worlds/views/view-sql'

export interface ChangesSql {
  readonly plain: Statement
  readonly summed: Statement
  /** From `$5` on: `$1` world, `$2` place after which the page begins, `$3` limit, `$4` limit and one more. */
  readonly values: readonly unknown[]
}

export const changesSql = oncePerReader((reader): ChangesSql => {
  const values: unknown[] = []
  const statement = statementOf(reader, (value) => `$${values.push(value) + 4}`)
  return { plain: statement(false), summed: statement(true), values }
})

function statementOf(reader: Reader, param: Param): (sums: boolean) => Statement {
  const { member, view, unmarked } = reader
  const sources = view.all ? everything() : view.open ? openChanges(view, param) : guestChanges(view, param)
  const epochs = member === null ? 'null, null, null' : 's.epoch, s.epoch_reason, s.last_role_epoch'
  const standing =
    member === null
      ? ''
      : `join element.members s -- members_pkey
        on s.world_id = h.world_id and ${memberSql(member, 's', param)}`
  const stillUnmarked = unmarked ? 'and not h.marked' : ''
  return (sums) => {
    const rowsOf = (condition: string) => `
        select u.* from (${sources(condition)}) u
        where $3::int > 0
        order by u.change_seq
        limit $4::int`
    return nameByText(`
      select h.auth_version, h.head, h.timeline, h.largest, ${epochs},
        p.change_seq, p.id, p.type, p.body, p.tail, p.unseen, p.deleted_at, p.deleted_by, p.deleted_via, p.reason, p.size,
        h.commits, h.view_version
      from element.world_heads h
      ${standing}
      ${pageSql(rowsOf, sums, !view.all)}
      where h.world_id = $1::uuid and not h.closed ${stillUnmarked}
      order by p.change_seq`)
  }
}

/** Rows of a page from its sources, each of which holds at most a page. */
type Sources = (condition: string) => string

const live = (unseen: string) =>
  `e.change_seq, e.id, e.type, e.body, ${tailSql('e')} as tail, ${unseen} as unseen, null::timestamptz as deleted_at,
             null::uuid as deleted_by, null::text as deleted_via, null::text as reason, e.size`

const gone = `t.change_seq, t.id, t.type, null, null, null, t.deleted_at, t.deleted_by, t.deleted_via, 'deleted', 256`

const page = (alias: string, place: string) => `
           order by ${alias}.${place}
           limit $4::int`

function everything(): Sources {
  return (condition) => `
          (select ${live('null::uuid[]')}
           from element.elements e -- elements_by_place
           where e.world_id = $1::uuid and e.change_seq > $2::bigint ${condition} ${page('e', 'change_seq')})
          union all
          (select ${gone}
           from element.tombstones t -- tombstones_pkey
           where t.world_id = $1::uuid and t.change_seq > $2::bigint ${condition} ${page('t', 'change_seq')})`
}

/** Contributors hear of every deletion, and of a hide when it was made after their view began (L267, L270; B4). */
function openChanges(view: View, param: Param): Sources {
  const sees = seesSql(view, 'e', param)
  const unseen = unseenSql(view, 'e', param)
  const isHidden = hiddenSql(view, 't.world_id', 't.id', param)
  const isHide = hiddenSql(view, 'm.world_id', 'm.id', param)
  return (condition) => `
          (select ${live(unseen)}
           from element.elements e -- elements_by_place
           where e.world_id = $1::uuid and e.change_seq > $2::bigint and ${sees} ${condition} ${page('e', 'change_seq')})
          union all
          (select ${gone}
           from element.tombstones t -- tombstones_pkey
           where t.world_id = $1::uuid and t.change_seq > $2::bigint ${condition} and not ${isHidden}
             ${page('t', 'change_seq')})
          union all
          (select m.place, m.id, m.type, null, null, null, m.set_at, null, 'api', 'hidden', 256
           from element.marks m -- marks_by_place
           where m.world_id = $1::uuid and m.world_id::text = $1::uuid::text and m.place > greatest($2::bigint, s.epoch_start) ${condition} and ${isHide}
             ${page('m', 'place')})`
}

/**
 * Guests hear of deletions of what they saw, as it stood then (B12). Tombstones are looked through
 * up to the end of the page of live elements only, so that a walk looks at each of them once.
 */
function guestChanges(view: View, param: Param): Sources {
  const granted = { type: '', after: '$2::bigint', limit: '$4::int', join: '', where: '' }
  const rows = grantedSql(view, granted, param)
  const unseen = unseenSql(view, 'e', param)
  const saw = sawSql(view, 't', param)
  const isHidden = hiddenSql(view, 't.world_id', 't.id', param)
  return (condition) => `
          with live as materialized (
            select ${live(unseen)}
            from (${rows}) g
            join element.elements e on e.world_id = $1::uuid and e.id = g.id -- elements_pkey
            where true ${condition} ${page('e', 'change_seq')}
          )
          select * from live
          union all
          (select ${gone}
           from element.tombstones t -- tombstones_pkey
           where t.world_id = $1::uuid and t.change_seq > $2::bigint ${condition}
             and t.change_seq <= coalesce((select max(n.change_seq) from live n having count(*) >= $4::int), h.head)
             and ${saw} and not ${isHidden} ${page('t', 'change_seq')})`
}
