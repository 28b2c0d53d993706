import fc from 'fast-check'
import { ByteBudget, type ByteLease } from './byte-budget'
import { UnavailableError } from './operation'

const lookMs = 250
const waitMs = 10_000

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

const tick = (ms = 0) => jest.advanceTimersByTimeAsync(ms)

type Step =
  | { readonly kind: 'acquire' | 'take'; readonly bytes: number }
  | { readonly kind: 'release' | 'leave' | 'transfer'; readonly which: number }
  | { readonly kind: 'resize' | 'move'; readonly which: number; readonly bytes: number }
  | { readonly kind: 'look' }

const bytes = fc.integer({ min: 1, max: 400_000 })
const which = fc.nat(20)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('acquire' as const), bytes }),
  fc.record({ kind: fc.constantFrom('acquire' as const, 'take' as const), bytes }),
  fc.record({ kind: fc.constantFrom('release' as const, 'leave' as const, 'transfer' as const), which }),
  fc.record({ kind: fc.constantFrom('resize' as const, 'move' as const), which, bytes }),
  fc.constant({ kind: 'look' as const }),
)

interface Acquiring {
  readonly wanted: number
  readonly leave: AbortController
}

/** Runs steps against a budget and against a plain list of leases and of waiting callers. */
class Run {
  readonly budget: ByteBudget
  readonly held: ByteLease[] = []
  waiting: Acquiring[] = []
  readonly transferring = new Set<ByteLease>()

  constructor(capacity: number) {
    this.budget = new ByteBudget(capacity, 0)
  }

  async apply(step: Step): Promise<void> {
    const { budget, held } = this
    const before = budget.used
    if (step.kind === 'acquire') this.#acquire(Math.min(step.bytes, budget.capacity))
    if (step.kind === 'take') held.push(budget.take(step.bytes))
    if (step.kind === 'leave') this.#leave(this.waiting[step.which % Math.max(1, this.waiting.length)])
    if (step.kind === 'look') await tick(lookMs)
    const lease = 'which' in step ? held[step.which % Math.max(1, held.length)] : undefined
    if (lease !== undefined && step.kind === 'release') this.#release(lease)
    if (lease !== undefined && step.kind === 'transfer') this.#transfer(lease)
    if (lease !== undefined && step.kind === 'resize') lease.resize(step.bytes)
    if (lease !== undefined && step.kind === 'move') lease.move(step.bytes)
    await tick()
    const mayExceed = step.kind === 'take' || step.kind === 'resize'
    if (!mayExceed) expect(budget.used).toBeLessThanOrEqual(Math.max(budget.capacity, before))
    this.check()
  }

  check(): void {
    const { budget, held, waiting } = this
    expect(budget.used).toBe(held.reduce((sum, lease) => sum + lease.bytes, 0))
    expect(budget.waiting).toBe(waiting.length)
    const [first] = waiting
    if (first !== undefined) expect(budget.used + first.wanted).toBeGreaterThan(budget.capacity)
  }

  #acquire(wanted: number): void {
    const acquiring = { wanted, leave: new AbortController() }
    this.waiting.push(acquiring)
    const settle = () => {
      this.waiting = this.waiting.filter((other) => other !== acquiring)
    }
    void this.budget.acquire(wanted, acquiring.leave.signal).then(
      (lease) => {
        // Nobody who came later has been admitted before.
        expect(this.waiting[0]).toBe(acquiring)
        expect(lease.bytes).toBe(wanted)
        this.held.push(lease)
        settle()
      },
      (error) => {
        expect(error).toBeInstanceOf(UnavailableError)
        settle()
      },
    )
  }

  #leave(acquiring: Acquiring | undefined): void {
    acquiring?.leave.abort()
  }

  #release(lease: ByteLease): void {
    this.held.splice(this.held.indexOf(lease), 1)
    this.transferring.delete(lease)
    lease.release()
    expect(lease.bytes).toBe(0)
    lease.release()
  }

  #transfer(lease: ByteLease): void {
    if (this.transferring.has(lease)) return
    this.transferring.add(lease)
    lease.beginTransfer(() => {
      expect(this.budget.waiting).toBeGreaterThan(0)
      this.#release(lease)
    })
  }
}

describe('a limit on bytes', () => {
  it('is kept by whatever is acquired, moved and given back, in order of arrival', async () => {
    const steps = fc.array(step, { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 100_000, 1_000_000), steps, async (capacity, all) => {
        const run = new Run(capacity)
        for (const one of all) await run.apply(one)
        // Once everybody has gone, nothing is left behind.
        while (run.held.length + run.waiting.length > 0) {
          await run.apply({ kind: 'release', which: 0 })
        }
        expect([run.budget.used, run.budget.waiting, jest.getTimerCount()]).toEqual([0, 0, 0])
      }),
      { numRuns: 150 },
    )
  })

  it('grants at most itself to one caller, alone', async () => {
    const budget = new ByteBudget(100, 0)
    const all = await budget.acquire(1_000)
    expect([all.bytes, budget.used]).toEqual([100, 100])
    all.release()
    expect(budget.used).toBe(0)
  })

  it('lets the next in when one that waits leaves, or has waited for 10 s', async () => {
    const budget = new ByteBudget(100, 0)
    const held = await budget.acquire(50)
    const leaver = new AbortController()
    const large = budget.acquire(80, leaver.signal)
    const small = budget.acquire(50)
    expect(budget.waiting).toBe(2)
    leaver.abort()
    await expect(large).rejects.toThrow(UnavailableError)
    const [first, refused] = [await small, expect(budget.acquire(80)).rejects.toThrow(UnavailableError)]
    await tick(1)
    const patient = budget.acquire(80)
    await tick(waitMs - 1)
    await refused
    expect(budget.waiting).toBe(1)
    held.release()
    first.release()
    expect((await patient).bytes).toBe(80)
  })

  it('refuses a caller that has left before it would wait', async () => {
    const budget = new ByteBudget(10, 0)
    await budget.acquire(10)
    await expect(budget.acquire(1, AbortSignal.abort())).rejects.toThrow(UnavailableError)
    expect([budget.waiting, jest.getTimerCount()]).toEqual([0, 0])
  })
})

describe('transfers while others wait', () => {
  async function transfers(budget: ByteBudget, sizes: readonly number[]) {
    const cut: number[] = []
    const leases: ByteLease[] = []
    for (const [index, size] of sizes.entries()) {
      const lease = await budget.acquire(size)
      lease.beginTransfer(() => {
        cut.push(index)
        lease.release()
      })
      leases.push(lease)
    }
    return { cut, leases }
  }

  it('are never cut off while nobody waits', async () => {
    const { cut } = await transfers(new ByteBudget(100, 0), [60, 40])
    await tick(60_000)
    expect(cut).toEqual([])
  })

  it('are cut off when four looks in a row find them slow, the largest first, until the first caller fits', async () => {
    const budget = new ByteBudget(100, 0)
    const { cut } = await transfers(budget, [20, 50, 30])
    const waiting = budget.acquire(60)
    await tick(3 * lookMs)
    expect(cut).toEqual([])
    await tick(lookMs)
    expect(cut).toEqual([1, 2])
    expect((await waiting).bytes).toBe(60)
    await tick(60_000)
    expect(cut).toEqual([1, 2])
  })

  it('go on while their peers take enough', async () => {
    const budget = new ByteBudget(100, 0)
    const { cut, leases } = await transfers(budget, [50, 50])
    const refused = expect(budget.acquire(60)).rejects.toThrow(UnavailableError)
    for (let waited = 0; waited < waitMs; waited += lookMs) {
      for (const lease of leases) lease.move(64 << 10)
      await tick(lookMs)
    }
    await refused
    expect([cut, budget.used]).toEqual([[], 100])
  })
})
