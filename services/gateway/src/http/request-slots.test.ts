import { RefusalError } from '@worlds/domain/errors'
import fc from 'fast-check'
import { ClientLeft, RequestSlots, Slot } from './request-slots'

const never = { signal: new AbortController().signal }

describe('request slots that are closed', () => {
  it('refuse who waits, serve who finds one free, and let nobody wait', async () => {
    const slots = new RequestSlots({ capacity: 1, waitMs: 60_000, queue: 10 })
    const release = await slots.acquire(never)
    const waiting = slots.acquire(never)
    slots.close()
    await expect(waiting).rejects.toThrow(RefusalError)
    await expect(slots.acquire(never)).rejects.toThrow(RefusalError)
    expect([slots.inUse, slots.waiting]).toEqual([1, 0])
    release()
    const next = await slots.acquire(never)
    expect(slots.inUse).toBe(1)
    next()
    expect(slots.inUse).toBe(0)
  })
})

type Step =
  | { readonly kind: 'acquire'; readonly client: string }
  | { readonly kind: 'release' | 'leave'; readonly which: number }

const which = fc.nat(20)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('acquire' as const), client: fc.constantFrom('a', 'a', 'a', 'b', 'c') }),
  fc.record({ kind: fc.constantFrom('release' as const, 'release' as const, 'leave' as const), which }),
)

interface Request {
  readonly number: number
  readonly client: string
  readonly departure: AbortController
  outcome: 'waits' | 'held' | 'left' | 'refused'
  giveBack?: () => void
}

/** Slots as plain as can be: a list of requests that wait, and of clients in the order of their turns. */
class Model {
  readonly held: number[] = []
  readonly queued: Request[] = []
  readonly turns: string[] = []
  readonly refused: number[] = []

  constructor(
    readonly capacity: number,
    readonly queue: number,
  ) {}

  acquire(request: Request): void {
    if (this.held.length < this.capacity && this.queued.length === 0) this.held.push(request.number)
    else if (this.queued.length >= this.queue) this.refused.push(request.number)
    else {
      this.queued.push(request)
      if (!this.turns.includes(request.client)) this.turns.push(request.client)
    }
  }

  leave(request: Request): void {
    this.queued.splice(this.queued.indexOf(request), 1)
    if (this.queued.every(({ client }) => client !== request.client)) {
      this.turns.splice(this.turns.indexOf(request.client), 1)
    }
  }

  release(number: number): void {
    this.held.splice(this.held.indexOf(number), 1)
    const client = this.turns.shift()
    const next = this.queued.find((request) => request.client === client)
    if (client === undefined || next === undefined) return
    this.turns.push(client)
    this.leave(next)
    this.held.push(next.number)
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

async function runSteps(capacity: number, queue: number, steps: readonly Step[]): Promise<void> {
  const slots = new RequestSlots({ capacity, waitMs: 60_000, queue })
  const model = new Model(capacity, queue)
  const requests: Request[] = []
  const numbersOf = (outcome: Request['outcome']) =>
    requests.filter((request) => request.outcome === outcome).map(({ number }) => number)
  const apply = async (one: Step) => {
    if (one.kind === 'acquire') {
      const departure = new AbortController()
      const request: Request = { number: requests.length, client: one.client, departure, outcome: 'waits' }
      requests.push(request)
      model.acquire(request)
      void slots.acquire(departure, one.client).then(
        (giveBack) => Object.assign(request, { outcome: 'held', giveBack }),
        (error) => Object.assign(request, { outcome: error instanceof ClientLeft ? 'left' : 'refused' }),
      )
    }
    const candidates = numbersOf(one.kind === 'release' ? 'held' : 'waits')
    const chosen = one.kind === 'acquire' ? undefined : requests[candidates[one.which % candidates.length] ?? -1]
    if (chosen !== undefined && one.kind === 'leave') {
      model.leave(chosen)
      chosen.departure.abort()
    }
    if (chosen?.giveBack !== undefined && one.kind === 'release') {
      model.release(chosen.number)
      Object.assign(chosen, { outcome: 'left' })
      chosen.giveBack()
      chosen.giveBack()
    }
    await settled()
    expect(numbersOf('held')).toEqual([...model.held].sort((a, b) => a - b))
    expect(numbersOf('waits')).toEqual(model.queued.map(({ number }) => number))
    expect(numbersOf('refused')).toEqual(model.refused)
    expect([slots.inUse, slots.waiting]).toEqual([model.held.length, model.queued.length])
    expect(slots.inUse).toBeLessThanOrEqual(capacity)
  }
  for (const one of steps) await apply(one)
  while (slots.inUse > 0) await apply({ kind: 'release', which: 0 })
  expect(slots.waiting).toBe(0)
}

describe('request slots', () => {
  it('go to the clients in turn and to the requests of each in order, and are never lost', async () => {
    const steps = fc.array(step, { maxLength: 60 })
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.constantFrom(3, 100), steps, runSteps), {
      numRuns: 200,
    })
  })

  it('are given back while a request waits for its client, whose waits count together', async () => {
    const slots = new RequestSlots({ capacity: 1, waitMs: 60, queue: 10 })
    const slot = new Slot(slots, never, 'a')
    await slot.acquire()
    slot.release()
    slot.release()
    const release = await slots.acquire(never)
    await expect(slot.acquire()).rejects.toThrow(RefusalError)
    // Its time is used up: it does not wait again.
    await expect(slot.acquire()).rejects.toThrow(RefusalError)
    release()
    expect([slots.inUse, slots.waiting]).toEqual([0, 0])
  })
})
