import fc from 'fast-check'
import { Ingest, type IngestedBody } from './ingest'

type Step =
  | { readonly kind: 'open' }
  | { readonly kind: 'add'; readonly which: number; readonly bytes: number }
  | { readonly kind: 'complete' | 'release'; readonly which: number }

const which = fc.nat(20)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ kind: 'open' as const }),
  fc.record({ kind: fc.constant('add' as const), which, bytes: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('add' as const), which, bytes: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constantFrom('complete' as const, 'release' as const), which }),
)

interface Model {
  readonly body: IngestedBody
  bytes: number
  isComplete: boolean
}

describe('the limit on bodies that are received', () => {
  it('refuses the one that has been arriving longest, and none that is complete', () => {
    const capacity = 100
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const ingest = new Ingest(capacity)
        /** Of the model's bodies, the oldest first. */
        let open: Model[] = []
        const refused: Model[] = []
        for (const one of steps) {
          const model = 'which' in one ? open[one.which % Math.max(1, open.length)] : undefined
          if (one.kind === 'open') {
            const added: Model = { body: ingest.open(() => refused.push(added)), bytes: 0, isComplete: false }
            open.push(added)
          }
          if (model !== undefined && one.kind === 'complete') {
            model.isComplete = true
            model.body.complete()
          }
          if (model !== undefined && one.kind === 'release') {
            open = open.filter((other) => other !== model)
            model.body.release()
            model.body.release()
          }
          if (model !== undefined && one.kind === 'add' && !model.isComplete) {
            model.bytes += one.bytes
            const expected: Model[] = []
            const arriving = open.filter(({ isComplete }) => !isComplete)
            let held = open.reduce((sum, { bytes }) => sum + bytes, 0)
            for (; held > capacity && arriving.length > 0; held -= expected.at(-1)?.bytes ?? 0) {
              expected.push(arriving.shift() as Model)
            }
            model.body.add(one.bytes)
            expect(refused.splice(0)).toEqual(expected)
            open = open.filter((other) => !expected.includes(other))
          }
          expect(refused).toEqual([])
          expect(ingest.held).toBe(open.reduce((sum, { bytes }) => sum + bytes, 0))
        }
        for (const { body } of open) body.release()
        expect(ingest.held).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  it('lets bodies that are complete exceed it, at the cost of those that arrive', () => {
    const ingest = new Ingest(10)
    const refused: string[] = []
    const whole = ingest.open(() => refused.push('whole'))
    whole.add(10)
    whole.complete()
    const late = ingest.open(() => refused.push('late'))
    late.add(1)
    expect([refused, ingest.held]).toEqual([['late'], 10])
    whole.release()
    expect(ingest.held).toBe(0)
  })
})
