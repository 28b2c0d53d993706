import { type Category, categories } from '@worlds/domain/registry'
import { type Description, done, type Resource } from './description'
import { at, elementId, expiry, filesUrl, ids, ticket, uploadUrl } from './examples'
import {
  count,
  described,
  fields,
  flag,
  oneOf,
  orNull,
  record,
  ref,
  rowsOf,
  text,
  timestamp,
  unixSeconds,
  uri,
  uuid,
} from './schema'

const kind = oneOf('pdf', 'txt', 'md', 'json', 'csv', 'yaml', 'toml', 'zip')
const maxFileBytes = 26_214_400

const fileRecord = {
  id: uuid,
  name: text,
  kind,
  size: described(count, 'Bytes.'),
  label: orNull(text),
  added_by: record({
    name: text,
    membership: described(orNull(uuid), 'Null for the owner’s keys.'),
    agent: described(flag, 'An agent added it.'),
  }),
  added_at: timestamp,
}

export const issuedTo = record({ account: uuid, membership: orNull(uuid) })

const file = {
  id: ids.file,
  name: 'notes.txt',
  kind: 'txt',
  size: 5,
  label: 'background',
  added_by: { name: 'Ann', membership: null, agent: false },
  added_at: at,
}

export const filesResource: Resource = {
  tag: {
    name: 'files',
    description:
      'Files of all elements. A file is added in two steps: a ticket for one upload, and the bytes, which go to the upload host with `Authorization: Bearer <ticket>`.',
  },
  schemas: {
    FileRecord: record(fileRecord),
    FileList: rowsOf('FileRecord'),
    WorldFileRecord: record({ ...fileRecord, element_type: oneOf(...categories.keys()), element_id: uuid }),
    WorldFileList: record({
      ...rowsOfWorld(),
      used_bytes: described(count, 'What all files of the world take.'),
      cap_bytes: count,
    }),
    FileTicketRequest: fields(
      {
        name: {
          ...{ type: 'string', minLength: 1 },
          description: 'Ends in an extension of its kind; up to 255 UTF-16 units. Of a path the last part is kept.',
        },
        kind,
        size: { type: 'integer', minimum: 1, maximum: maxFileBytes, description: 'Bytes.' },
        label: orNull({ type: 'string', maxLength: 80, description: 'A field of the category, or any text.' }),
      },
      ['name', 'kind', 'size'],
    ),
    FileTicket: record({
      ticket: text,
      upload_url: described(uri, 'Where to POST the bytes.'),
      prefix: text,
      key: text,
      max_bytes: count,
      exp: unixSeconds,
      uses: { const: 1 },
      issued_to: issuedTo,
      kind: { const: 'file' },
      file_id: uuid,
    }),
    Download: record({
      url: described(uri, 'Needs no key, for five minutes.'),
      exp: unixSeconds,
      name: text,
      kind,
      size: count,
    }),
  },
  routes: {
    'GET /api/v2/world/files': {
      id: 'list-world-files',
      summary: 'List the files of the world',
      description: 'Those of elements that the key sees, newest first.',
      replies: {
        200: {
          description: 'The files.',
          schema: ref('WorldFileList'),
          example: {
            data: [{ ...file, element_type: 'character', element_id: elementId('character') }],
            used_bytes: 5,
            cap_bytes: 262_144_000,
          },
        },
      },
      codes: ['media_unavailable'],
    },
  },
}

function rowsOfWorld() {
  return { data: { type: 'array', items: ref('WorldFileRecord') } }
}

/** Files of elements of one category. */
export function filesOf({ slug }: Category): Record<string, Description> {
  const path = '/api/v2/:type/:id/files'
  return {
    [`GET ${path}`]: {
      id: `list-${slug}-files`,
      summary: `List the files of a ${slug}`,
      description: 'Newest first.',
      replies: { 200: { description: 'The files.', schema: ref('FileList'), example: { data: [file] } } },
      codes: ['not_found', 'media_unavailable'],
    },
    [`POST ${path}`]: {
      id: `add-${slug}-file`,
      summary: `Ask for a ticket to add a file to a ${slug}`,
      description: 'Good for one upload, for ten minutes. Counted even when it is never used.',
      body: {
        schema: ref('FileTicketRequest'),
        example: { name: 'notes.txt', kind: 'txt', size: 5, label: 'background' },
      },
      replies: {
        201: {
          description: 'The ticket.',
          schema: ref('FileTicket'),
          example: {
            ticket,
            upload_url: uploadUrl,
            prefix: `w/${ids.world}/${elementId(slug)}/`,
            key: `w/${ids.world}/${elementId(slug)}/${ids.file}.txt`,
            max_bytes: maxFileBytes,
            exp: expiry,
            uses: 1,
            issued_to: { account: ids.owner, membership: null },
            kind: 'file',
            file_id: ids.file,
          },
        },
      },
      codes: ['not_author', 'files_full', 'not_found', 'file_too_large', 'quota_exceeded', 'media_unavailable'],
    },
    [`GET ${path}/:file/download`]: {
      id: `download-${slug}-file`,
      summary: `Get a link to a file of a ${slug}`,
      replies: {
        200: {
          description: 'A link that works for five minutes, for anybody who has it.',
          schema: ref('Download'),
          example: {
            url: `${filesUrl}/w/${ids.world}/${elementId(slug)}/${ids.file}.txt?name=notes.txt&exp=${expiry}&sig=example`,
            exp: expiry,
            name: 'notes.txt',
            kind: 'txt',
            size: 5,
          },
        },
      },
      codes: ['not_found', 'media_unavailable'],
    },
    [`DELETE ${path}/:file`]: {
      id: `remove-${slug}-file`,
      summary: `Remove a file of a ${slug}`,
      description: 'For the owner’s keys and the account that added it.',
      replies: { 204: done('It is removed.') },
      codes: ['not_found', 'media_unavailable'],
    },
  }
}
