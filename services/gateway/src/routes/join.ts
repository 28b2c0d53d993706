import { refuseUnknown } from '@worlds/domain/query'
import { anonymousBodyLimit } from '../http/read-body'
import { toAnswer } from './reply'
import type { CodeRoute } from './route'

export const joinRoutes: readonly CodeRoute[] = [
  {
    method: 'post',
    path: '/api/v2/join/preview',
    access: 'code',
    async handle({ clients, query, body }) {
      refuseUnknown(query, [])
      return toAnswer(await clients.previewJoin(await body(anonymousBodyLimit)))
    },
  },
  {
    method: 'post',
    path: '/api/v2/join',
    access: 'code',
    async handle({ clients, query, body }) {
      refuseUnknown(query, [])
      return toAnswer(await clients.join(await body(anonymousBodyLimit)))
    },
  },
]
