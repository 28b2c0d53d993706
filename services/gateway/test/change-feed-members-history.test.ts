import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { addMember, type MemberRole, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi } from './hostile-table'
import { newParty } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

/** Whoever follows the feed through a history of random writes holds what a walk from the beginning gives. */
let system: System

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { REQUEST_BUDGET: '1000000' } } })
})
afterAll(() => system.stop())

/** A client that follows as it is told to: after a 409 it walks anew, and drops what that does not name unless its role changed. */
class Follower {
  readonly held = new Map<string, Body>()
  /** Kept since a change of role, though no walk named it. */
  readonly kept = new Set<string>()
  readonly seen = new Set<string>()
  #cursor = '0'

  constructor(
    readonly name: string,
    readonly key: Api,
  ) {}

  async poll(): Promise<void> {
    const named = new Set<string>()
    const reasons = new Set<string>()
    for (;;) {
      const { status, body } = await this.#pages((record) => {
        named.add(record.id)
        this.#take(record)
      })
      if (status === 200) break
      expect([status, body.error.code]).toEqual([409, 'resync_required'])
      reasons.add(body.reason)
      // What moved may move again while it walks.
      this.#cursor = '0'
      named.clear()
    }
    if (reasons.size === 0) return
    for (const id of [...this.held.keys()].filter((one) => !named.has(one))) {
      if (reasons.has('role')) this.kept.add(id)
      else this.held.delete(id)
    }
  }

  async #pages(take: (record: Body) => void): Promise<ApiReply> {
    for (;;) {
      const reply = await this.key.get(`/api/v2/changes?limit=5&since=${this.#cursor}`)
      if (reply.status !== 200) return reply
      for (const record of reply.body.changes) take(record)
      this.#cursor = reply.body.cursor
      if (!reply.body.has_more) return reply
    }
  }

  #take({ op, id, element, reason }: Body): void {
    this.kept.delete(id)
    this.seen.add(op === 'upsert' ? op : reason)
    if (op === 'upsert') this.held.set(id, element)
    else this.held.delete(id)
    if (reason === 'hidden') this.#unlink(id)
  }

  /** A hide moves nothing that links to what is hidden: the client lets go of the links itself. */
  #unlink(gone: string): void {
    for (const body of this.held.values()) {
      for (const [name, value] of Object.entries(body)) {
        if (Array.isArray(value)) body[name] = value.filter((id) => id !== gone)
      }
    }
  }
}

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const types = ['narrative', 'event', 'character'] as const

it.each([
  [1, 1],
  [2, 1],
  [3, 8],
  [4, 8],
])(
  '[CF-009][CF-044][CF-047][CF-048] following is as good as walking anew (history %i, %i writes at once)',
  async (seed, atOnce) => {
    const own: Owner = await newOwner(system)
    const random = randomOf(seed)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const changing = [await addMember(system, own, 'contributor'), await addMember(system, own, 'guest')]
    const names = ['owner', 'co_builder', 'contributor seat', 'guest', 'guest seat', 'player'] as const
    const parties = await Promise.all(names.map(async (name) => ({ name, ...(await newParty(system, own, name)) })))
    const followers = [
      ...parties.map((party) => new Follower(party.name, party)),
      ...changing.map(({ headers }, index) => new Follower(`changing ${index}`, api(system.gateway, headers))),
    ]
    const writers = parties.filter(({ writer }) => writer !== null)
    const seats = parties.filter(({ name }) => name.endsWith('seat') || name === 'player')
    const account = accountApi(system.gateway, own.token)
    const played = [...parties, ...changing].map(({ character }) => character).filter((id) => id !== null)
    const made: { type: string; id: string }[] = played.map((id) => ({ type: 'character', id }))

    const some = (type: string, most: number): string[] => {
      const all = made.filter((one) => one.type === type).map(({ id }) => id)
      return all.length === 0 ? [] : Array.from({ length: random(most + 1) }, () => pick(all))
    }
    const links = (type: string): Body =>
      type === 'character'
        ? { friends: some('character', 2) }
        : {
            characters: random(2) === 0 ? some('character', 2) : [pick(played)],
            events: type === 'event' ? undefined : some('event', 2),
          }
    const elementPath = ({ type, id }: { type: string; id: string }) => `/api/v2/${type}/${id}`

    const acts: (() => Promise<unknown>)[] = [
      async () => {
        const type = pick(types)
        const reply = await pick(writers).post(`/api/v2/${type}`, { name: 'Made', ...links(type) })
        if (reply.status === 201) made.push({ type, id: reply.body.id })
      },
      async () => {
        const one = pick(made)
        await own.patch(elementPath(one), links(one.type))
      },
      async () => {
        const one = pick(made)
        await pick(writers).put(elementPath(one), { name: 'Put', ...links(one.type) })
      },
      () => own.delete(elementPath(pick(made))),
      () => own.put(`${elementPath(pick(made))}/hidden`),
      () => own.put(`${elementPath(pick(made))}/hidden`),
      () => own.delete(`${elementPath(pick(made))}/hidden`),
      () => own.patch('/api/v2/world', { owner_character: random(3) === 0 ? null : (some('character', 1)[0] ?? null) }),
      () => setRole(system, own, pick(changing).membership, pick<MemberRole>(['guest', 'contributor', 'co_builder'])),
      () => {
        const path = `/api/v2/account/worlds/${own.world}/members/${pick(seats).membership}`
        return account.patch(path, { character: random(4) === 0 ? null : pick(played) })
      },
    ]

    for (let step = 0; step < (atOnce === 1 ? 150 : 50); step += 1) {
      const several = Array.from({ length: atOnce }, () => pick(acts)())
      const polls = random(3) === 0 ? [pick(followers).poll()] : []
      await Promise.all([...several, ...polls])
    }
    const fresh = followers.map(({ name, key }) => new Follower(name, key))
    for (const follower of [...followers, ...fresh]) await follower.poll()
    for (const [index, { name, key, held }] of fresh.entries()) {
      const follower = followers[index] as Follower
      const left = [...follower.held].filter(([id]) => held.has(id) || !follower.kept.has(id))
      expect({ name, held: Object.fromEntries(left) }).toEqual({ name, held: Object.fromEntries(held) })
      const listed = []
      for (const type of types) listed.push(...expectBody(await key.get(`/api/v2/${type}?limit=1000`), 200).data)
      expect({ name, held: Object.fromEntries(held) }).toEqual({
        name,
        held: Object.fromEntries(listed.map((one) => [one.id, one])),
      })
      for (const reason of follower.seen)
        expect(['upsert', 'deleted', ...(name.match(/guest|player/) ? [] : ['hidden'])]).toContain(reason)
    }
  },
)
