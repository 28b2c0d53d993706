import { RefusalError } from '@worlds/domain/errors'
import type { Principal__Output as Principal } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Refusal__Output } from '@worlds/proto/generated/worlds/common/v1/Refusal'
import type { SeenElement__Output as SeenElement } from '@worlds/proto/generated/worlds/element/v1/SeenElement'
import type { SightDefinition } from '@worlds/proto/generated/worlds/element/v1/Sight'
import { elementV1 } from '@worlds/proto/load'
import type { ProcessConfig } from '@worlds/runtime/config'
import { UnavailableError } from '@worlds/runtime/operation'
import { fromWire } from '@worlds/runtime/refusals'
import { type CallSettings, isAway, RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'

/** The principal is out of date: the caller authenticates again. */
export class AskAgain extends Error {
  override readonly name = 'AskAgain'
}

export interface FoundElement extends SeenElement {
  /** What the roll calls the key's holder, an agent; '' for persons. */
  readonly holder: string
}

/** Element, as far as files ask it: what a key sees of its world. Refusals and stale principals are thrown. */
export class Sight {
  readonly #peer: RpcPeer
  readonly #client: RpcClient<SightDefinition>

  constructor(addresses: readonly string[], { serviceToken, tls }: Pick<ProcessConfig, 'serviceToken' | 'tls'>) {
    this.#peer = new RpcPeer(addresses, serviceToken, { tls })
    this.#client = new RpcClient(elementV1.Sight, this.#peer)
  }

  async find(principal: Principal, type: string, id: string, toChange = false): Promise<FoundElement> {
    const request = { principal, type, id, to_change: toChange }
    const reply = accepted(await attempt(this.#client.unary('FindElement', request, settings(principal))))
    if (!reply.element) throw new AskAgain()
    return { ...reply.element, holder: reply.name }
  }

  /** By id, without those that the key does not see. */
  async findAll(principal: Principal, ids: string[]): Promise<Map<string, SeenElement>> {
    const found = new Map<string, SeenElement>()
    // With no ids the call still says whether the key is good.
    for (let start = 0; start === 0 || start < ids.length; start += most) {
      const request = { principal, ids: ids.slice(start, start + most) }
      const reply = accepted(await attempt(this.#client.unary('FindElements', request, settings(principal))))
      if (!reply.found) throw new AskAgain()
      for (const element of reply.found.elements) found.set(element.id, element)
    }
    return found
  }

  /** Births by id of those elements that are there; `world` is open, closed or absent. */
  async births(worldId: string, ids: string[]): Promise<{ world: string; births: Map<string, number> }> {
    const calling = { deadlineMs: 10_000, affinity: worldId, repeatable: true }
    const { world, elements } = await attempt(this.#client.unary('FindBirths', { world_id: worldId, ids }, calling))
    return { world, births: new Map(elements.map(({ id, birth }) => [id, birth])) }
  }

  async hasImageUrl(principal: Principal, url: string): Promise<boolean> {
    const request = { principal, url }
    const reply = accepted(await attempt(this.#client.unary('FindImageUrl', request, settings(principal))))
    if (reply.ask_again) throw new AskAgain()
    return reply.referenced === true
  }

  close(): void {
    this.#peer.close()
  }
}

/** Ids of one call. */
const most = 10_000

function settings({ world_id }: Principal): CallSettings {
  return { deadlineMs: 10_000, affinity: world_id, repeatable: true }
}

function accepted<R extends { refusal?: Refusal__Output | null; ask_again?: boolean }>(reply: R): R {
  if (reply.refusal) throw new RefusalError(fromWire(reply.refusal))
  if (reply.ask_again) throw new AskAgain()
  return reply
}

async function attempt<Reply>(call: Promise<Reply>): Promise<Reply> {
  try {
    return await call
  } catch (error) {
    throw isAway(error) ? new UnavailableError('element is away', { cause: error }) : error
  }
}
