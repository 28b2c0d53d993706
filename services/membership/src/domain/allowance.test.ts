import { RefusalError } from '@worlds/domain/errors'
import { allowanceRecord, amount, consumedRecord, label, metadata } from './allowance'

const day = { used: 30, sessions: 2, dayMs: Date.UTC(2026, 6, 18) }

test('an amount is a whole number from 1, in any form that an integer field takes', () => {
  for (const [sent, read] of [
    [1, 1],
    ['7', 7],
    [2.9, 2],
    [true, 1],
  ] as const)
    expect(amount(sent, 'amount')).toBe(read)
  for (const sent of [0, -1, 0.5, '', null, [], {}, '1.5', 2 ** 31]) {
    expect(() => amount(sent, 'amount')).toThrow(RefusalError)
  }
})

test('labels may be left out in every way', () => {
  expect([label(null, 'service'), label('', 'service'), label('chat', 'service')]).toEqual([
    undefined,
    undefined,
    'chat',
  ])
  expect(() => label(7, 'service')).toThrow('service')
})

test('metadata is an object that nobody reads', () => {
  expect([metadata({ a: 1 }, 'metadata'), metadata(null, 'metadata')]).toEqual([undefined, undefined])
  for (const sent of [[], 'x', 1]) expect(() => metadata(sent, 'metadata')).toThrow('metadata')
})

test('what is available never falls below nothing', () => {
  expect(allowanceRecord(day, 100)).toEqual({
    tokens_available_today: 70,
    token_rating: 100,
    tokens_used_today: 30,
    last_reset: '2026-07-18T00:00:00.000000+00:00',
    sessions_active: 2,
  })
  expect(allowanceRecord({ ...day, used: 130 }, 100).tokens_available_today).toBe(0)
})

test('the last token of a day is no excess, the next is', () => {
  expect(consumedRecord({ ...day, used: 100 }, 5, 100)).toMatchObject({ tokens_remaining: 0, error: null })
  expect(consumedRecord({ ...day, used: 101 }, 5, 100)).toMatchObject({
    success: true,
    tokens_consumed: 5,
    tokens_remaining: 0,
    error: expect.stringContaining('by 1'),
  })
})
