/** Prepares what the worked examples of the document speak of: their ids stand for what the server has minted here. */
import { categories } from '@worlds/domain/registry'
import { elementId, ids, secrets } from '@worlds/gateway/openapi/examples'
import { api } from '@worlds/testkit/api'
import { addMember, addSeat, invited, mintReadKey } from '@worlds/testkit/members'
import type { System } from '@worlds/testkit/system'
import { createAccount, createWorld } from '@worlds/testkit/world'
import { addFile } from './files-support'
import { accountApi } from './hostile-table'
import { addCounted } from './images-support'
import { type Body, expectBody, newOwner, type Owner } from './support'

/** What differs for one operation. */
export interface Stand {
  /** What is written in the example, and what is here. */
  readonly ids?: Readonly<Record<string, string>>
  /** Somebody else's token. */
  readonly token?: string
}

export interface Stage {
  readonly own: Owner
  /** For an operation that needs something of its own. */
  prepare(operation: string): Promise<Stand>
}

const root = '/api/v2/account'

export async function buildStage(system: System): Promise<Stage> {
  const own = await newOwner(system)
  const bearer = accountApi(system.gateway, own.token)
  const path = `${root}/worlds/${own.world}`
  await seedElements(own)
  await own.patch('/api/v2/world', { owner_character: elementId('character', 2) })
  const seat = await addSeat(system, own, { name: 'Scribe' })
  const post = async (to: string, body: Body) => expectBody(await bearer.post(to, body), 201)

  const person = async () => {
    const { account, token } = await createAccount(system, { pin: '4321' })
    return { token, ids: { [ids.invite]: await invited(system, own, account.email, 'contributor') } }
  }
  const code = async () => ({ ids: { [secrets.joinCode]: (await post(`${path}/links`, { reader: 'agent' })).code } })
  const watchedKey = async () => mintReadKey(system, own.world, own.token)
  const seatId = async () => ({ ids: { [ids.seat]: (await addSeat(system, own)).membership } })
  const files = new Map<string, string>()

  const preparations: Readonly<Record<string, () => Promise<Stand>>> = {
    'verify-email': async () => {
      const email = 'verified@example.org'
      await bearer.post(`${root}/emails`, { email })
      const { data } = expectBody(await api(system.gateway).get('/dev/mail', { Accept: 'application/json' }), 200)
      const { text } = data.find(({ to }: Body) => to === email)
      return { ids: { [secrets.emailToken]: /token=(\S+)/.exec(text)?.[1] ?? '' } }
    },
    'revoke-token': async () => ({ ids: { [ids.token]: (await post(`${root}/tokens`, {})).id } }),
    'delete-account': async () => ({ token: (await createAccount(system)).token }),
    'delete-world': async () => ({ ids: { [ids.world]: (await createWorld(system, own.token)).id } }),
    'revoke-key': async () => ({ ids: { [ids.key]: (await post(`${path}/keys`, {})).id } }),
    'list-members': async () => {
      await post(`${path}/invites`, { email: 'carl@example.org', role: 'guest' })
      return {}
    },
    'patch-member': async () => ({ ids: { [ids.seat]: seat.membership } }),
    'remove-member': seatId,
    'leave-world': async () => ({ token: (await addMember(system, own, 'contributor')).token }),
    'cancel-invite': async () => {
      const { id } = await post(`${path}/invites`, { email: 'dora@example.org', role: 'guest' })
      return { ids: { [ids.invite]: id } }
    },
    'list-received-invites': person,
    'accept-invite': person,
    'refuse-invite': person,
    'list-links': code,
    'revoke-link': async () => ({ ids: { [ids.link]: (await post(`${path}/links`, { reader: 'player' })).id } }),
    'remove-seat': seatId,
    'list-watched': async () => {
      await post(`${root}/watched`, { key: await watchedKey() })
      return {}
    },
    'add-watched': async () => ({ ids: { [secrets.readKey]: await watchedKey() } }),
    'remove-watched': async () => {
      const { id } = await post(`${root}/watched`, { key: await watchedKey() })
      return { ids: { [ids.watched]: id } }
    },
    'preview-join': code,
    join: code,
    'list-hidden': async () => {
      await own.put(`/api/v2/character/${elementId('character', 3)}/hidden`)
      return {}
    },
    'list-changes': async () => {
      await own.delete(`/api/v2/pin/${elementId('pin', 3)}`)
      return {}
    },
    'create-removal-ticket': async () => {
      const { key } = await addCounted(own, bearer)
      return { ids: { [`u/${ids.world}/${ids.image}.png`]: key } }
    },
  }

  /** One file for every category, which its removal takes away at last. */
  const fileOf = async (slug: string): Promise<Stand> => {
    const label = 'background'
    const file = files.get(slug) ?? (await addFile(own, slug, elementId(slug), { label })).id
    files.set(slug, file)
    return { ids: { [ids.file]: file } }
  }

  return {
    own,
    prepare: async (operation) => {
      const [, slug] = /^(?:list|download|remove)-([a-z]+)-files?$/.exec(operation) ?? []
      if (slug === 'world') await fileOf('character')
      else if (slug !== undefined) return fileOf(slug)
      return preparations[operation]?.() ?? {}
    },
  }
}

async function seedElements(own: Owner): Promise<void> {
  for (const number of [1, 2, 3, 4]) {
    const items = [...categories.keys()].map((type) => {
      return { type, element: { id: elementId(type, number), name: `The ${type} ${number}`, tool_source: 'x' } }
    })
    expect(expectBody(await own.post('/api/v2/bulk', { items }), 200).errors).toBe(false)
  }
}
