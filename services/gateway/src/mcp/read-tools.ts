/** Tools that read a world by its key. */
import { z } from 'zod'
import { elementRoutes } from '../routes/elements'
import { fileRoutes } from '../routes/files'
import { searchRoutes } from '../routes/search'
import { worldRoutes } from '../routes/world'
import { readFileRoute } from './read-file'
import { cursor, element, id, limit, page, type } from './shapes'
import { over, queryOf, reads, routeOf, type Tool } from './tool'

const filters = ['name', 'name__icontains', 'supertype', 'subtype', 'characters'] as const
const row = z.looseObject({ type: z.string(), id: z.string(), name: z.string() })

export const readTools: readonly Tool[] = [
  {
    name: 'list_elements',
    title: 'List elements',
    description:
      'Lists elements of one category, whole, in the order of their last change. Ask on with next_cursor while has_more is true.',
    annotations: reads,
    needsKey: true,
    input: z.strictObject({
      type,
      name: z.string().optional().describe('Only elements of exactly this name.'),
      name__icontains: z.string().optional().describe('Only elements whose name holds this text, in any case.'),
      supertype: z.string().optional().describe('Only elements of exactly this supertype.'),
      subtype: z.string().optional().describe('Only elements of exactly this subtype.'),
      characters: z
        .string()
        .optional()
        .describe('Only elements whose characters name this id, where the category has them.'),
      limit: limit(100, 1000),
      cursor,
    }),
    output: page(element),
    run: over(routeOf(elementRoutes, 'get', '/api/v2/:type'), (args) => ({
      params: { type: String(args.type) },
      query: queryOf(args, [...filters, 'limit', 'cursor']),
    })),
  },
  {
    name: 'get_element',
    title: 'Read an element',
    description: 'Reads one element, whole. Its change_seq tells its state.',
    annotations: reads,
    needsKey: true,
    input: z.strictObject({ type, id }),
    output: element,
    run: over(routeOf(elementRoutes, 'get', '/api/v2/:type/:id'), (args) => ({
      params: { type: String(args.type), id: String(args.id) },
    })),
  },
  {
    name: 'search_elements',
    title: 'Search elements',
    description:
      'Finds elements of any category by a text: first by their whole name, its beginning or a part of it, then by whole words of their text. Read a hit with get_element.',
    annotations: reads,
    needsKey: true,
    input: z.strictObject({
      q: z.string().describe('What to look for, 1 to 200 characters.'),
      type: z.string().optional().describe('Categories to look in, separated by commas; all unless given.'),
      limit: limit(20, 100),
      cursor,
    }),
    output: page(row),
    run: over(routeOf(searchRoutes, 'get', '/api/v2/search'), (args) => ({
      query: queryOf(args, ['q', 'type', 'limit', 'cursor']),
    })),
  },
  {
    name: 'get_changes',
    title: 'Follow changes',
    description:
      'Reads what has changed since a cursor: elements as they are now, and deletions. Begin without since; keep the cursor and ask on from it.',
    annotations: reads,
    needsKey: true,
    input: z.strictObject({
      since: z.string().optional().describe('cursor of the reply before.'),
      limit: limit(25, 1000),
    }),
    output: z.looseObject({
      changes: z.array(z.looseObject({ op: z.string(), id: z.string() })),
      cursor: z.string(),
      has_more: z.boolean(),
      head: z.int(),
    }),
    run: over(routeOf(worldRoutes, 'get', '/api/v2/changes'), (args) => ({
      query: queryOf(args, ['since', 'limit'], { limit: '25' }),
    })),
  },
  {
    name: 'list_files',
    title: 'List files',
    description: 'Lists the files that are attached to an element. Read one with read_file.',
    annotations: reads,
    needsKey: true,
    input: z.strictObject({ type, id }),
    output: z.object({
      data: z.array(z.looseObject({ id: z.string(), name: z.string(), kind: z.string(), size: z.int() })),
    }),
    run: over(routeOf(fileRoutes, 'get', '/api/v2/:type/:id/files'), (args) => ({
      params: { type: String(args.type), id: String(args.id) },
    })),
  },
  {
    name: 'read_file',
    title: 'Read a file',
    description:
      'Reads a file of an element, as JSON text: {id, name, kind, size, encoding, content, url, exp}. content is text up to 256 KiB, or base64 of other files up to 1 MB; larger files have encoding and content null and a download url that is good until exp, in Unix seconds.',
    annotations: { ...reads, idempotentHint: true },
    needsKey: true,
    input: z.strictObject({ type, id, file_id: z.string().describe('Id of the file, from list_files.') }),
    // Sent as text alone, so that the content is sent once.
    output: null,
    run: over(readFileRoute, (args) => ({
      params: { type: String(args.type), id: String(args.id), file: String(args.file_id) },
    })),
  },
]
