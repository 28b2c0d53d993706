import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'

export function ok(value: object): Reply {
  return { body: toJson(value), status: 200 }
}

export function created(value: object): Reply {
  return { body: toJson(value), status: 201 }
}

export function accepted(): Reply {
  return { body: toJson({}), status: 202 }
}

export function noContent(): Reply {
  return { body: Buffer.alloc(0), status: 204 }
}

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
