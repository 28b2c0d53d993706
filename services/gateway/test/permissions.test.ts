import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Api, api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addFile, addImage } from './files-support'
import { accountApi } from './hostile-table'
import { storageOf } from './images-support'
import {
  accountAnswer,
  callers,
  newTies,
  ownAccountRows,
  type Ties,
  worldAccountRows,
} from './permission-account-table'
import { permissionsPage } from './permission-docs'
import { attaching } from './permission-files-table'
import { newParty, type Party, type PartyName, partyNames } from './permission-parties'
import {
  answerTo,
  changing,
  type ElementRow,
  hiding,
  making,
  outcomeOf,
  reading,
  type Target,
  targets,
  worldRows,
} from './permission-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System

beforeAll(async () => {
  const budget = { REQUEST_BUDGET: '1000000', UNKNOWN_CREDENTIALS_PER_MINUTE: '1000000' }
  system = await startSystem({ files: true, env: { gateway: budget, file: { FILE_TICKETS: '1000000' } } })
})
afterAll(() => system.stop())

describe('world keys', () => {
  let own: Owner
  let parties: ReadonlyMap<PartyName, Party>
  /** Adds files and images that are nobody else’s. */
  let archivist: Api & { readonly bearer: Api }
  beforeAll(async () => {
    own = await newOwner(system)
    const { headers, token } = await addMember(system, own, 'co_builder')
    archivist = { ...api(system.gateway, { ...headers }), bearer: accountApi(system.gateway, token) }
    parties = new Map(
      await Promise.all(partyNames.map(async (name) => [name, await newParty(system, own, name)] as const)),
    )
  })

  const partyOf = (name: PartyName): Party => parties.get(name) as Party
  const made = async (by: Api, fields: Body): Promise<string> =>
    expectBody(await by.post('/api/v2/narrative', { name: 'Made', ...fields }), 201).id

  /** One element of each kind to this caller; null where there can be none, as of a player, who creates nothing. */
  async function elementsFor(party: Party): Promise<Record<Target, string | null>> {
    const characters = [...parties.values()].flatMap(({ character }) => character ?? [])
    const other = party.role === 'owner' ? (partyOf('contributor').writer as Api) : own
    const { writer } = party
    const [mine, mineHidden, theirs, theirsHidden, unseen] = await Promise.all([
      writer && made(writer, {}),
      writer && made(writer, {}),
      made(other, { characters }),
      made(other, { characters }),
      made(other, {}),
    ])
    for (const id of [mineHidden, theirsHidden])
      if (id !== null) expect((await own.put(`/api/v2/narrative/${id}/hidden`)).status).toBe(204)
    return {
      own: mine,
      'own, hidden': mineHidden,
      'another’s': theirs,
      'another’s, hidden': theirsHidden,
      'out of view': unseen,
      absent: randomUUID(),
    }
  }

  async function newImage(): Promise<string> {
    const { used } = await storageOf(archivist.bearer)
    const { key } = await addImage(archivist)
    await until(async () => (await storageOf(archivist.bearer)).used > used)
    return key
  }

  async function outcome(row: ElementRow, by: Party, id: string, carrier: string): Promise<string> {
    const isThere = async () => (await own.get(`/api/v2/narrative/${id}`)).status === 200
    const before = await isThere()
    const reply = await row.call(by, id, carrier)
    if (reply.status >= 300) return outcomeOf(reply)
    const deletes = row.route === 'DELETE /api/v2/{type}/{id}'
    if (deletes) return `${reply.status}${before && !(await isThere()) ? '' : ', nothing deleted'}`
    return (row.told ?? outcomeOf)(reply, id)
  }

  const cells = [...reading, ...making, ...changing, ...attaching, ...hiding].flatMap((row) =>
    partyNames.map((name) => [row.route, name, row] as const),
  )

  it.each(cells)('%s by a %s', async (_route, name, row) => {
    const party = partyOf(name)
    const elements = await elementsFor(party)
    const carrier = party.writer === null ? randomUUID() : await made(party.writer, {})
    const expected: Record<string, string> = {}
    const found: Record<string, string> = {}
    for (const [index, answer] of answerTo(row, party.role, party.reads).entries()) {
      const target = targets[index] as Target
      const id = elements[target]
      if (id === null) continue
      expected[target] = answer
      const isThere = row.hasFile === true && target !== 'absent'
      const file = isThere ? (await addFile(archivist, 'narrative', id)).id : randomUUID()
      found[target] = await outcome(row, party, id, row.hasFile === true ? file : carrier)
    }
    expect(found).toEqual(expected)
  })

  it.each(worldRows)('$route', async (row) => {
    const expected: Record<string, string> = {}
    const found: Record<string, string> = {}
    for (const [name, party] of parties) {
      expected[name] = answerTo(row, party.role, party.reads)
      found[name] = outcomeOf(await row.call(party, newImage))
    }
    expect(found).toEqual(expected)
  })

  it.each(['world', 'changes', 'members', 'me', 'world/hidden', 'world/sharing', 'world/files'])(
    'as on %s',
    async (path) => {
      for (const party of parties.values())
        expect(outcomeOf(await party.get(`/api/v2/${path}?as=public`))).toBe('422 invalid_request')
    },
  )
})

describe('account tokens', () => {
  it.each([...worldAccountRows, ...ownAccountRows].map((row) => [row.route, row.on ?? '', row] as const))(
    '%s %s',
    async (_route, _on, row) => {
      const ties: Ties = await newTies(system)
      const expected: Record<string, string> = {}
      const found: Record<string, string> = {}
      // The owner comes last: it may take away what the others are asked about.
      for (const caller of [...callers].reverse()) {
        const answer = accountAnswer(row, caller)
        if (answer === null) continue
        const { by, account } = ties.tied[caller]
        expected[caller] = answer
        found[caller] = outcomeOf(await row.call(by, ties, account))
      }
      expect(found).toEqual(expected)
    },
  )
})

describe('docs/permissions.md', () => {
  const file = join(__dirname, '../../../docs/permissions.md')

  it('says what the tables say: UPDATE_DOCS=1 writes it anew', () => {
    if (process.env.UPDATE_DOCS === '1') writeFileSync(file, permissionsPage())
    expect(readFileSync(file, 'utf8')).toBe(permissionsPage())
  })
})
