import type { Resource } from './description'
import { count, described, fields, flag, orNull, record, ref, text, timestamp, upTo } from './schema'

const label = orNull(upTo(255))

export const tokensResource: Resource = {
  tag: { name: 'tokens', description: 'The daily AI token allowance of the account behind the key. Days are UTC’s.' },
  schemas: {
    TokenStatus: record({
      tokens_available_today: count,
      token_rating: described(count, 'The allowance of one day.'),
      tokens_used_today: count,
      last_reset: timestamp,
      sessions_active: count,
    }),
    TokenUse: fields(
      {
        amount: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
        service: label,
        session_id: label,
        metadata: { type: ['object', 'null'], description: 'Nothing is kept of it.' },
      },
      ['amount'],
    ),
    TokensConsumed: record({
      success: flag,
      tokens_consumed: count,
      tokens_remaining: count,
      token_rating: count,
      error: described(orNull(text), 'A warning when the allowance is exceeded.'),
    }),
  },
  routes: {
    'GET /api/v2/tokens/status': {
      id: 'get-token-status',
      summary: 'Read the allowance of today',
      replies: {
        200: {
          description: 'The allowance.',
          schema: ref('TokenStatus'),
          example: {
            tokens_available_today: 9000,
            token_rating: 10000,
            tokens_used_today: 1000,
            last_reset: '2026-07-18T00:00:00.000000+00:00',
            sessions_active: 1,
          },
        },
      },
      codes: ['guest_not_supported'],
    },
    'POST /api/v2/tokens/consume': {
      id: 'consume-tokens',
      summary: 'Use some of the allowance',
      description: 'Using more than there is succeeds, with a warning in `error`.',
      body: { schema: ref('TokenUse'), example: { amount: 250, service: 'story', session_id: 's-1' } },
      replies: {
        200: {
          description: 'What is left.',
          schema: ref('TokensConsumed'),
          example: {
            success: true,
            tokens_consumed: 250,
            tokens_remaining: 8750,
            token_rating: 10000,
            error: null,
          },
        },
      },
      codes: ['guest_not_supported'],
    },
  },
}
