/**
 * A load that goes on until it is told to end, for as long as it is needed. k6 cuts off what is under way when it is
 * stopped, and nobody could say of a write that was cut off whether it must be there. So whoever runs it first puts
 * `isEnding` into the setup's data by k6's REST API, waits until nothing is under way, and stops it then.
 */
import http from 'k6/http'
import { Counter } from 'k6/metrics'
import type { Filled } from '../lib/operations.ts'

export interface Stage {
  readonly worlds: Filled[]
}

/** k6's own REST API, `http://127.0.0.1:6565`; without it the load ends after DURATION alone. */
const api = __ENV.CONTROL_URL ?? ''

/** Iterations that have no end yet: one more when one begins, one less when it ends. */
const underWay = new Counter('under_way')
/** Those that did nothing, for the load is to end. Once there is one, `under_way` has all that still goes on. */
const turnedAway = new Counter('turned_away')

export function untilToldToEnd(client: (worlds: Filled[]) => void): (stage: Stage) => void {
  return ({ worlds }) => {
    underWay.add(1)
    try {
      if (isToldToEnd()) turnedAway.add(1)
      else client(worlds)
    } finally {
      underWay.add(-1)
    }
  }
}

/** Asked each time, for the data that an iteration is given stays as it was when its virtual user began. */
function isToldToEnd(): boolean {
  if (api === '') return false
  const { body } = http.get(`${api}/v1/setup`, { tags: { op: 'control', name: 'control' } })
  return String(body).includes('"isEnding":true')
}
