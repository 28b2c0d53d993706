/** What each role is answered by the routes of an element's files. */
import { changeAnswers, type ElementRow, none, path, readAnswers, refused } from './permission-table'

export const attaching: readonly ElementRow[] = [
  {
    route: 'GET /api/v2/{type}/{id}/files',
    write: false,
    call: (by, id) => by.get(`${path(id)}/files`),
    answers: readAnswers('200', none),
  },
  {
    route: 'GET /api/v2/{type}/{id}/files/{file_id}/download',
    write: false,
    hasFile: true,
    call: (by, id, file) => by.get(`${path(id)}/files/${file}/download`),
    answers: readAnswers('200', none),
  },
  {
    route: 'POST /api/v2/{type}/{id}/files',
    write: true,
    call: (by, id) => by.post(`${path(id)}/files`, { name: 'a.txt', kind: 'txt', size: 1 }),
    answers: changeAnswers('201', none),
  },
  {
    route: 'DELETE /api/v2/{type}/{id}/files/{file_id}, another’s file',
    write: true,
    hasFile: true,
    call: (by, id, file) => by.delete(`${path(id)}/files/${file}`),
    answers: {
      owner: ['204', '204', '204', '204', '204', none],
      co_builder: [refused, refused, refused, refused, refused, none],
      contributor: [refused, refused, refused, none, refused, none],
      guest: [refused, refused, refused, none, none, none],
    },
  },
]
