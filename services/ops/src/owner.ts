import type { Principal } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Clients } from './connection'
import { oneTry, RefusedError } from './reply'

/** Does what a key of the world's owner could do; `ask_again` is answered by describing the owner anew. */
export class Owner {
  #principal: Principal | undefined

  constructor(
    private readonly clients: Clients,
    readonly world: string,
  ) {}

  async as<T extends { readonly ask_again?: boolean }>(call: (principal: Principal) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      this.#principal ??= await this.#describe()
      const reply = await call(this.#principal)
      if (reply.ask_again !== true || attempt === 5) return reply
      this.#principal = undefined
    }
  }

  async #describe(): Promise<Principal> {
    const request = { world_id: this.world }
    const settings = { ...oneTry, repeatable: true }
    const reply = await this.clients.operator.unary('DescribeOwner', request, settings)
    if (reply.refusal) throw new RefusedError(reply.refusal)
    if (!reply.holder?.principal) throw new Error(`world ${this.world} has no owner`)
    return reply.holder.principal
  }
}
