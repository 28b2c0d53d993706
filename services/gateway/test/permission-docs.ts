/** Renders docs/permissions.md from the tables that the tests run. */
import {
  type AccountRow,
  accountAnswer,
  type Caller,
  callers,
  ownAccountRows,
  worldAccountRows,
} from './permission-account-table'
import { attaching } from './permission-files-table'
import { changing, type ElementRow, hiding, making, reading, targets, worldRows } from './permission-table'

const roles = ['owner', 'co_builder', 'contributor', 'guest'] as const

export function permissionsPage(): string {
  return `${[
    '# Permissions',
    '',
    'What a key or an account may do, and what it is answered when it may not. This page is rendered from the tables that the',
    'tests hold the service against: `permission-table.ts` and `permission-account-table.ts` in `services/gateway/test`.',
    '',
    '## Roles',
    '',
    ...table(
      ['Role', 'Sees', 'Changes'],
      [
        ['`owner`', 'everything, what is hidden too', 'everything, and the world’s own fields'],
        ['`co_builder`', 'everything, what is hidden too', 'every element; hides elements and shows them again'],
        ['`contributor`', 'everything but what others created and somebody hid', 'what it created'],
        [
          '`guest`',
          'what it created; what names its Character in `characters`; the Characters of the roster. Nothing hidden, unless it created it',
          'what it created',
        ],
      ],
    ),
    '',
    'What a reader does not see is not there for it: it is in no list, filter, link, expansion or feed, and a call that names',
    'it is answered as if the id had never been given out. When a reader writes an element of its own, links to what it does',
    'not see stay as they are.',
    '',
    '## Keys',
    '',
    ...table(
      ['Key', 'Answers as', 'Writes'],
      [
        ['write key of the owner’s account, 10-digit key', '`owner`', 'with the account’s PIN'],
        ['write key of a member’s account', 'the member’s role', 'with the member’s own PIN'],
        ['key of an agent’s seat', 'the seat’s role, whatever Character it plays', 'with the seat’s secret as PIN'],
        ['read key of the owner’s account', '`owner`: it shows what is hidden', 'never'],
        ['read key of a member’s account', 'the member’s role', 'never'],
        ['read key of a player', '`guest`', 'never'],
      ],
    ),
    '',
    'A read key is refused every write with `403 permission_error`, before anything else of the request is looked at. The',
    'tables below leave that out. A change of role, and the end of a membership, hold from the next request of every key.',
    '',
    '## Elements',
    '',
    'By what the element is to who calls. *Out of view* is what a guest does not see although nobody hid it; to every other',
    'role it is another’s element like any. *Absent* is an id that no element of the world has.',
    '',
    '### Reading',
    '',
    ...elementTable(reading),
    '',
    'An element of another category than the path says is absent to all of them. A contributor is told of hides in the feed',
    'as deletions with the reason `hidden`; a guest is not told, but starts anew: `409 resync_required`, as everybody does',
    'whose role has changed.',
    '',
    '### Making and replacing',
    '',
    ...elementTable(making),
    '',
    'Everybody with a write key makes elements. An id that is taken by what the caller does not see is `404`, not `409`. In a',
    'bulk write the other items are not concerned, unless it is `atomic`.',
    '',
    '### Changing and linking',
    '',
    ...elementTable(changing),
    '',
    '### Files',
    '',
    ...elementTable(attaching),
    '',
    'A file is removed with the owner’s key, or with any key of the account that added it, as long as that sees the element;',
    'a seat has the account of its sponsor, though not the owner’s right. A download link that was given works for whoever',
    'has it until it expires, unless the file goes first.',
    '',
    '### Hiding, and reading as another',
    '',
    ...elementTable(hiding),
    '',
    'Who may not hide is told so whatever it names, ids that are none included. `as` takes a membership, a Character of the',
    'world or `public`; on a route that does not read elements it is `422 invalid_request`, whoever sends it.',
    '',
    '## The world and its readers',
    '',
    ...table(
      ['Call', ...roles.map(code)],
      worldRows.map(({ route, answers }) => [routeOf(route), ...roles.map((role) => cell(answers[role]))]),
    ),
    '',
    'An image is removed with the owner’s key, or with any key of the account that uploaded it.',
    '',
    'In `owner_character`, the roster and `/me`, a Character that the caller does not see reads null.',
    '',
    '## Account routes',
    '',
    'These take an account token; `…` stands for `/api/v2/account`. A *sponsor* answers for an agent’s seat without being a',
    'member; a *stranger* has no tie to the world.',
    '',
    '### Of a world',
    '',
    ...accountTable(worldAccountRows),
    '',
    'The owner sees every key and pending invite in the lists, a member its own keys and no invites. A seat that a member',
    'makes never has a role above the member’s: it is lowered with the member, and removed with it. Seats by links stay, and',
    'the owner sponsors them when their sponsor goes. A link’s `sponsor_email` makes a member the sponsor at once; anybody else',
    'sponsors once the offer is accepted, which the invites list with `kind: "sponsor"`.',
    '',
    '### Of the account itself',
    '',
    ...accountTable(ownAccountRows),
    '',
    'Who is a member already gets no further invite: `409 already_member`. An account without a PIN cannot accept one:',
    '`409 pin_required`.',
    '',
  ].join('\n')}`
}

/** A line for each target, those alike in one. */
function elementTable(rows: readonly ElementRow[]): string[] {
  const lines = rows.flatMap((row) => {
    const grouped = new Map<string, string[]>()
    targets.forEach((target, index) => {
      const answers = roles.map((role) => cell(row.answers[role][index] ?? ''))
      const key = answers.join('|')
      grouped.set(key, [...(grouped.get(key) ?? []), target])
    })
    return [...grouped].map(([answers, alike], index) => [
      index === 0 ? routeOf(row.route) : '',
      alike.length === targets.length ? 'any' : alike.join('; '),
      ...answers.split('|'),
    ])
  })
  return table(['Call', 'The element', ...roles.map(code)], lines)
}

/** A column for each tie to a world; those alike in all of the rows in one. */
function accountTable(rows: readonly AccountRow[]): string[] {
  const columns = new Map<string, Caller[]>()
  for (const caller of callers) {
    const answers = rows.map((row) => accountAnswer(row, caller)).join()
    columns.set(answers, [...(columns.get(answers) ?? []), caller])
  }
  const shown = [...columns.values()].map((alike) => ({ title: titleOf(alike), caller: alike[0] as Caller }))
  return table(
    ['Call', ...shown.map(({ title }) => title)],
    rows.map((row) => {
      const on = row.on === undefined ? '' : `, ${row.on}`
      return [`${routeOf(row.route)}${on}`, ...shown.map(({ caller }) => cell(accountAnswer(row, caller) ?? '–'))]
    }),
  )
}

function titleOf(alike: readonly Caller[]): string {
  return alike.map((caller) => (roles.some((role) => role === caller) ? code(caller) : caller)).join(', ')
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [titles, titles.map(() => ':--'), ...rows].map((row) => `| ${row.join(' | ')} |`)
}

const code = (text: string) => `\`${text}\``

/** `GET /path more words` with the call as code. */
function routeOf(route: string): string {
  const [, call, more = ''] = /^([A-Z]{3,} [^ ,]+)(.*)$/.exec(route) ?? []
  return call === undefined ? route : `${code(call)}${more}`
}

/** A code of an error as code. */
function cell(outcome: string): string {
  const [, status, error] = /^(\d{3}) (\w+)$/.exec(outcome) ?? []
  return error === undefined ? outcome : `${status} ${code(error)}`
}
