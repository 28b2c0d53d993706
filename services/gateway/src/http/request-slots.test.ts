import { RefusalError } from '@worlds/domain/errors'
import { RequestSlots } from './request-slots'

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
