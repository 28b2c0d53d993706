import { done, type Resource } from './description'
import { at, ids, secrets } from './examples'
import { described, fields, flag, record, ref, rowsOf, secret, text, timestamp, uuid } from './schema'

const root = '/api/v2/account/watched'
const watched = {
  id: ids.watched,
  world: { id: ids.world, name: 'Eldenmoor' },
  last4: '0000',
  added_at: at,
  stale: false,
}

export const watchedResource: Resource = {
  tag: { name: 'account watched', description: 'Worlds that the account watches by read keys of others.' },
  schemas: {
    Watched: record({
      id: uuid,
      world: record({ id: uuid, name: text }),
      last4: text,
      added_at: timestamp,
      stale: described(flag, 'The key does not work any longer.'),
    }),
    WatchedList: rowsOf('Watched'),
  },
  routes: {
    [`GET ${root}`]: {
      id: 'list-watched',
      summary: 'List watched worlds',
      replies: { 200: { description: 'The worlds.', schema: ref('WatchedList'), example: { data: [watched] } } },
    },
    [`POST ${root}`]: {
      id: 'add-watched',
      summary: 'Watch a world',
      body: {
        schema: fields({ key: described(secret('ow_r_'), 'A read key that works.') }, ['key']),
        example: { key: secrets.readKey },
      },
      replies: {
        201: { description: 'Added.', schema: ref('Watched'), example: watched },
        200: { description: 'It was there already.', schema: ref('Watched') },
      },
      codes: ['not_found'],
    },
    [`DELETE ${root}/:id`]: {
      id: 'remove-watched',
      summary: 'Stop watching a world',
      replies: { 204: done('It is not watched any longer.') },
      codes: ['not_found'],
    },
  },
}
