/** The classic list: a bare array of all rows, however many, or of some where `limit` and `offset` say so (A81). */
import { isDeepStrictEqual } from 'node:util'
import { invalid, RefusalError } from '@worlds/domain/errors'
import { isStorable } from '@worlds/domain/json-input'
import type { Query } from '@worlds/domain/query'
import { readUuid } from '@worlds/domain/uuid'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import { fromWire } from '@worlds/runtime/refusals'
import { type Answer, json, refuse } from '../http/answer'
import { categoryOf } from './elements'
import { pageAnswer } from './page'
import type { WorldCall } from './route'

export const classicListParams = ['world', 'name__icontains', 'supertype', 'limit', 'offset', 'as'] as const

/** Rows that are asked for at once. */
const pageRows = 1000

/** As large as a number may be on its way to the database. */
const most = 2 ** 31 - 1

export async function listClassic(call: WorldCall): Promise<Answer> {
  const { principal, query } = call
  const limit = readCount(query, 'limit')
  const offset = readCount(query, 'offset') ?? 0
  const filters = ['name__icontains', 'supertype'].flatMap((name) => {
    const value = query.get(name)
    return value === undefined ? [] : [{ name, value: readText(name, value) }]
  })
  const world = query.get('world')
  const list = { principal, type: categoryOf(call).slug, filters, classic: true }
  if (limit === 0 || (world !== undefined && readUuid(world) !== principal.world_id)) return showNone(call, list)
  return offset === 0 ? listFirst(call, list, limit) : listByIds(call, list, limit, offset)
}

/** What is empty for every reader is so only for one that is a reader. */
async function showNone(call: WorldCall, list: List): Promise<Answer> {
  const answer = await listFirst(call, { ...list, filters: [] }, 1)
  if (answer.kind === 'stream') answer.cancel()
  return answer.kind === 'reply' || answer.kind === 'stream' ? json(200, []) : answer
}

interface List {
  readonly principal: WorldCall['principal']
  readonly type: string
  readonly filters: { name: string; value: string }[]
  readonly classic: boolean
}

/** Most lists are one page. One that is not is begun again: only by its ids it is of one moment. */
async function listFirst(call: WorldCall, list: List, limit: number | null): Promise<Answer> {
  const wanted = Math.min(limit ?? pageRows, pageRows)
  const reply = await call.clients.listElements({ ...list, limit: wanted, after: 0 }, call.departure.signal)
  const { refusal, page } = reply.first
  if (refusal) return refuse(fromWire(refusal))
  if (!page) return { kind: 'ask-again' }
  const { has_more, count, bytes } = page
  if (!has_more || count === limit) return pageAnswer(reply, ({ bodies }) => bodies, bytes, ['[', ']'])
  reply.cancel()
  return listByIds(call, list, limit, 0)
}

async function listByIds(call: WorldCall, list: List, limit: number | null, offset: number): Promise<Answer> {
  const { clients, departure } = call
  const parts = await clients.listIds({ ...list, limit: limit ?? 0, offset }, departure.signal)
  const [first] = parts
  if (first?.refusal) return refuse(fromWire(first.refusal))
  if (first?.ask_again) return { kind: 'ask-again' }
  const ids = Buffer.concat(parts.map((part) => part.ids ?? Buffer.alloc(0)))
  return { kind: 'stream', pieces: arrayOf(call, list, ids), cancel: () => {} }
}

const open = Buffer.from('[')
const close = Buffer.from(']')
const comma = Buffer.from(',')

/** Each element once, as it is when its turn comes; one that has gone meanwhile is left out. */
async function* arrayOf(call: WorldCall, { principal, type }: List, ids: Buffer) {
  yield open
  let isFirst = true
  let reader = principal
  for (let at = 0; at < ids.length; ) {
    const asked = { principal: reader, type, ids: ids.subarray(at, at + pageRows * 16), classic: true }
    const reply = await call.working(() => call.clients.readElements(asked, call.departure.signal))
    const { page, bodies } = reply.first
    if (!page) {
      reader = await sameReader(call, reader)
      continue
    }
    if (bodies.length > 0 && !isFirst) yield comma
    isFirst &&= bodies.length === 0
    if (bodies.length > 0) yield bodies
    for await (const part of reply.rest()) yield part.bodies
    at += page.count * 16
  }
  yield close
}

/**
 * The reader of a list after something has changed about who may read the world. It is too late for another answer: for
 * one that may not, or not the same, the list ends where it stands.
 */
async function sameReader({ renewed }: WorldCall, before: Principal__Output): Promise<Principal__Output> {
  const now = await renewed()
  const isSame = now !== null && isDeepStrictEqual({ ...now, auth_version: before.auth_version }, before)
  if (!isSame || now.auth_version === before.auth_version)
    throw new Error('the reader has changed while a list was read')
  return now
}

/** A whole number from 0 on; null where none is sent. */
function readCount(query: Query, name: string): number | null {
  const text = query.get(name)
  if (text === undefined) return null
  if (!/^\d+$/.test(text)) throw inQuery(name, `${name} takes a whole number from 0 on.`)
  return Math.min(Number(text), most)
}

function readText(name: string, value: string): string {
  if (!isStorable(value)) throw inQuery(name, `${name} holds no such text.`)
  return value
}

function inQuery(name: string, message: string): RefusalError {
  return new RefusalError({ ...invalid(name, message), where: 'query' })
}
