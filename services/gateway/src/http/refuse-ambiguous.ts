import { badHttp } from '@worlds/domain/errors'
import type { NextFunction, Request, Response } from 'express'
import type { RouteMetrics } from '../metrics'
import { refuse } from './answer'
import { type CorsConfig, corsHeaders } from './cors'
import { send } from './deliver'
import { classic, current, type Dialect, metadata } from './dialect'
import { isAmbiguous } from './server'

/**
 * Refuses requests that a proxy in front might read otherwise than this server: before every route, also those without
 * a key, for a cache could be given the reply to another request.
 */
export function refuseAmbiguous(cors: CorsConfig, docsUrl: string, metrics: RouteMetrics) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!isAmbiguous(request)) {
      next()
      return
    }
    const answer = refuse(badHttp())
    metrics.answered(answer)
    send(response, answer, corsHeaders(request.headers.origin, cors), docsUrl, dialectOf(request.path))
  }
}

/** No route is matched yet, so the path decides. */
function dialectOf(path: string): Dialect {
  if (path.startsWith('/api/worldapi/')) return classic
  return path.startsWith('/api/metadata/') ? metadata : current
}
