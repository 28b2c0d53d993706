import { mediaUnavailable } from '@worlds/domain/errors'
import { nextTurn } from '@worlds/runtime/next-turn'
import { fromWire } from '@worlds/runtime/refusals'
import { type Answer, json, refuse } from '../http/answer'
import { fileOf } from '../routes/files'
import type { WorldCall, WorldRoute } from '../routes/route'

/** Of the tools alone: by HTTP a file is read from the download host. */
export const readFileRoute: WorldRoute = { method: 'get', path: '/mcp', access: 'read', handle: readFile }

async function readFile(call: WorldCall): Promise<Answer> {
  const { clients, departure } = call
  if (!clients.hasFiles) return refuse(mediaUnavailable())
  const file = fileOf(call)
  const parts = await clients.readFile(file, departure.signal)
  const [first] = parts
  if (first?.refusal) return refuse(fromWire(first.refusal))
  if (!first?.facts) return { kind: 'ask-again' }
  const { name, kind, size, form, url, exp } = first.facts
  const facts = { id: file.file_id.toLowerCase(), name, kind, size }
  if (form === 'link') return json(200, { ...facts, encoding: null, content: null, url, exp })
  const bytes = Buffer.concat(parts.map((part) => part.bytes))
  // Files that come at the same time are made text one a turn: as JSON they take many times their bytes.
  await nextTurn()
  const isText = form === 'text'
  const content = isText ? bytes.toString() : bytes.toString('base64')
  return json(200, { ...facts, encoding: isText ? 'utf-8' : 'base64', content, url: null, exp: null })
}
