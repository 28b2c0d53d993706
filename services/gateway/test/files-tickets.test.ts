import { randomUUID } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { addMember, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, askTicket, fileTicket } from './files-support'
import { newParty } from './permission-parties'
import { expectBody, expectRefusal, newOwner, newReader, type Owner, uuidForm } from './support'

let system: System
let own: Owner
let place: string
const bad = 'invalid_request'

beforeAll(async () => {
  // Every case of a table takes a ticket of the one world.
  system = await startSystem({ files: true, env: { file: { FILE_TICKETS: '1000' } } })
  own = await newOwner(system)
  place = (await own.make('location')).id
})
afterAll(() => system.stop())

const ask = (body: object) => askTicket(own, 'location', place, body)

describe('a ticket', () => {
  it('[FL-017][FL-054][FL-055][FL-056][FL-057][FL-058][FL-059][FL-060][FL-061][FL-062][FL-063][FL-064][EL-002] is told whole', async () => {
    const before = Math.floor(Date.now() / 1000)
    const reply = await ask({ name: 'rules.pdf', kind: 'pdf', size: 9, label: 'description' })
    const after = Math.ceil(Date.now() / 1000)
    const prefix = `w/${own.world}/${place}/`
    const { exp, file_id } = expectBody(reply, 201)
    expect(reply.body).toEqual({
      ticket: expect.stringMatching(/./),
      upload_url: system.uploadUrl,
      prefix,
      key: `${prefix}${file_id}.pdf`,
      max_bytes: 26_214_400,
      exp: expect.any(Number),
      uses: 1,
      issued_to: { account: own.account.id, membership: null },
      kind: 'file',
      file_id: expect.stringMatching(uuidForm),
    })
    expect(Number.isInteger(exp)).toBe(true)
    expect(exp).toBeGreaterThanOrEqual(before + 600)
    expect(exp).toBeLessThanOrEqual(after + 600)
  })

  it('[FL-062] is issued to a membership and its account, a seat’s being its sponsor’s', async () => {
    const builder = await addMember(system, own, 'co_builder')
    const seat = await addSeat(system, own, { role: 'co_builder' })
    const sponsored = await addSeat(system, own, { role: 'co_builder', link: { sponsor_email: builder.account.email } })
    const issuedTo = async ({ headers }: { headers: Record<string, string> }) =>
      (await fileTicket(api(system.gateway, headers), 'location', place)).issued_to
    expect(await issuedTo(builder)).toEqual({ account: builder.account.id, membership: builder.membership })
    expect(await issuedTo(seat)).toEqual({ account: own.account.id, membership: seat.membership })
    expect(await issuedTo(sponsored)).toEqual({ account: builder.account.id, membership: sponsored.membership })
  })

  it('[ID-014] takes no idempotency key: each request is a ticket of its own', async () => {
    const path = `/api/v2/location/${place}/files`
    const header = { 'Idempotency-Key': 'once' }
    const body = { name: 'a.txt', kind: 'txt', size: 1 }
    const replies = [await own.post(path, body, header), await own.post(path, body, header)]
    replies.push(await own.post(path, { ...body, size: 2 }, header))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(replies.map(({ body }) => body.file_id)).size).toBe(3)
    expect(new Set(replies.map(({ body }) => body.ticket)).size).toBe(3)
    expect(replies.every(({ headers }) => !headers.has('idempotent-replay'))).toBe(true)
  })

  it('[EL-002][FL-057][FL-058] says ids in lower case, however they were sent', async () => {
    const { prefix, key, file_id } = await fileTicket(own, 'location', place.toUpperCase())
    expect(prefix).toBe(`w/${own.world}/${place}/`)
    expect(key).toBe(`${prefix}${file_id}.txt`)
  })

  it.each(['location', 'character', 'pin'])('[FL-017] is for elements of any category: %s', async (type) => {
    const { id } = await own.make(type)
    expect((await fileTicket(own, type, id)).prefix).toBe(`w/${own.world}/${id}/`)
    expect((await own.post(`/api/v2/${type}/${id}/files/`, { name: 'a.txt', kind: 'txt', size: 1 })).status).toBe(201)
  })
})

describe('hostile 69: what a ticket is asked for with', () => {
  it.each([
    ['FL-050', 'a.pdf', 'pdf'],
    ['FL-050', 'a.txt', 'txt'],
    ['FL-050', 'a.md', 'md'],
    ['FL-041', 'a.markdown', 'md'],
    ['FL-050', 'a.json', 'json'],
    ['FL-050', 'a.csv', 'csv'],
    ['FL-050', 'a.yaml', 'yaml'],
    ['FL-042', 'a.yml', 'yaml'],
    ['FL-050', 'a.toml', 'toml'],
    ['FL-043', 'a.zip', 'zip'],
  ])('[%s] %s may be a %s', async (_id, name, kind) => {
    const { key, file_id } = expectBody(await ask({ name, kind }), 201)
    expect(key).toBe(`w/${own.world}/${place}/${file_id}.${kind}`)
  })

  it.each<[string, string, object]>([
    ['FL-040', 'a pdf by another ending', { name: 'a.txt', kind: 'pdf' }],
    ['FL-041', 'a text by the ending of another', { name: 'a.txt', kind: 'md' }],
    ['FL-041', 'markdown as txt', { name: 'a.markdown', kind: 'txt' }],
    ['FL-042', 'yml as toml', { name: 'a.yml', kind: 'toml' }],
    ['FL-043', 'a zip by another ending', { name: 'a.bin', kind: 'zip' }],
    ['FL-045', 'no name', { name: undefined }],
    ['FL-045', 'null', { name: null }],
    ['FL-045', 'a number', { name: 7 }],
    ['FL-045', 'a list', { name: ['a.txt'] }],
    ['FL-045', 'nothing in it', { name: '' }],
    ['FL-045', 'no ending', { name: 'txt' }],
    ['FL-045', 'nothing before the ending', { name: '.txt' }],
    ['FL-045', 'nothing before the ending once it is cleaned', { name: 'a/ \u0007.txt' }],
    ['FL-045', 'the ending in the path alone', { name: 'a.txt/b' }],
    ['FL-045', 'a folder', { name: 'a.txt/' }],
    ['FL-049', 'more than 255 units', { name: `${'x'.repeat(252)}.txt` }],
    ['FL-049', 'more than 255 units of two-unit characters', { name: `${'😀'.repeat(126)}.txt` }],
    ['FL-045', 'half a character', { name: 'a\ud83d.txt' }],
  ])('[%s] refuses as a name: %s', async (_id, _title, body) => {
    expectRefusal(await ask(body), 422, bad, 'name')
  })

  it.each([
    ['255 units', `${'x'.repeat(251)}.txt`],
    ['255 units of two-unit characters', `x${'😀'.repeat(125)}.txt`],
    ['255 units behind a long path', `${'path/'.repeat(100)}${'x'.repeat(251)}.txt`],
    ['255 units once it is cleaned', `${'x'.repeat(250)} ${' '.repeat(50)}${'\u0007'.repeat(50)}.txt`],
  ])('[FL-049] takes as a name: %s', async (_title, name) => {
    expectBody(await ask({ name }), 201)
  })

  it.each(['exe', 'PDF', 'markdown', 'yml', '', '.txt', 'constructor', '__proto__', 7, null, true, ['txt'], undefined])(
    '[FL-044] refuses as a kind: %p',
    async (kind) => expectRefusal(await ask({ kind }), 422, bad, 'kind'),
  )

  it.each([0, -1, 1.5, 0.5, '5', '', null, true, [5], {}, undefined])(
    '[FL-051] refuses as a size: %p',
    async (size) => {
      expectRefusal(await ask({ size }), 422, bad, 'size')
    },
  )

  it.each([1, 26_214_399])('[FL-051] takes as a size: %p', async (size) => {
    expectBody(await ask({ size }), 201)
  })

  it.each(['x'.repeat(81), '😀'.repeat(81), 7, true, [], {}, '\ud83d'])(
    '[FL-052] refuses as a label: %p',
    async (label) => {
      expectRefusal(await ask({ label }), 422, bad, 'label')
    },
  )

  it.each(['x'.repeat(80), '😀'.repeat(80), 'my notes', '', null, undefined])(
    '[FL-052] takes as a label: %p',
    async (label) => {
      expectBody(await ask({ label }), 201)
    },
  )

  it.each<[string, string | object | undefined, string | null]>([
    ['no body', undefined, null],
    ['an empty body', '', null],
    ['no JSON', '{"name":', null],
    ['a list', '[]', null],
    ['text', '"a.txt"', null],
    ['null', 'null', null],
    ['an unknown field', { name: 'a.txt', kind: 'txt', size: 1, type: 'x' }, 'type'],
    ['a field that is the server’s to say', { name: 'a.txt', kind: 'txt', size: 1, file_id: randomUUID() }, 'file_id'],
    ['a field named as the prototype', '{"name":"a.txt","kind":"txt","size":1,"__proto__":{}}', '__proto__'],
  ])('[FL-017] refuses as a body: %s', async (_title, body, param) => {
    expectRefusal(await own.post(`/api/v2/location/${place}/files`, body), 422, bad, param)
  })

  it.each([
    ['size', '{"size":0,"kind":"exe","name":7}'],
    ['kind', '{"kind":"exe","size":0,"name":7}'],
    ['name', '{"name":7,"kind":"exe","size":0}'],
    ['label', '{"label":7,"name":7,"kind":"exe","size":0}'],
    ['size', '{"size":0,"what":1,"name":7}'],
    ['what', '{"what":1,"size":0,"name":7}'],
  ])(
    '[FL-044][FL-045][FL-051] tells the first of several faults, as they stand in the body: %s of %s',
    async (param, body) => {
      expectRefusal(await own.post(`/api/v2/location/${place}/files`, body), 422, bad, param)
    },
  )
})

describe('the order of checks', () => {
  const huge = { size: 26_214_401 }
  const path = (id: string) => `/api/v2/location/${id}/files`

  it('[FL-031] asks for the key, then the PIN, before anything of the request', async () => {
    const keyless = api(system.gateway)
    expectRefusal(await keyless.post(path('nonsense'), {}), 401, 'invalid_credentials', null)
    for (const pin of [undefined, '9999', 'abc', '']) {
      const by = api(system.gateway, { 'API-Key': own.key, ...(pin === undefined ? {} : { 'API-Pin': pin }) })
      expectRefusal(await by.post(path('nonsense'), {}), 401, 'invalid_credentials', null)
    }
  })

  it('[FL-066][AU-006] refuses a read key before anything of the request', async () => {
    const reader = await newReader(system, own)
    for (const id of [place, randomUUID(), 'nonsense']) {
      expectRefusal(await reader.post(path(id), { kind: 'exe' }), 403, 'permission_error', null)
    }
  })

  it('[RA-006] refuses as, and any other parameter, before the body is looked at', async () => {
    expectRefusal(await own.post(`${path(place)}?as=public`, {}), 422, bad, 'as')
    expectRefusal(await own.post(`${path(place)}?limit=1`, {}), 422, bad, 'limit')
    expectRefusal(await own.post(path('nonsense'), {}), 422, bad, 'id')
  })

  it('[FL-065] looks at the body before the element, at who may before how large', async () => {
    const contributor = await newParty(system, own, 'contributor')
    expectRefusal(await askTicket(contributor, 'location', randomUUID(), { kind: 'exe' }), 422, bad, 'kind')
    expectRefusal(await askTicket(contributor, 'location', place, { kind: 'exe' }), 422, bad, 'kind')
    for (const id of [randomUUID(), (await own.make('event')).id]) {
      expectRefusal(await askTicket(contributor, 'location', id, huge), 404, 'not_found', null)
    }
    expectRefusal(await askTicket(contributor, 'location', place, huge), 403, 'not_author', null)
  })

  it('[FL-078][ER-030] refuses one byte over 25 MB', async () => {
    expectRefusal(await ask(huge), 413, 'file_too_large')
    expectRefusal(await ask({ size: Number.MAX_SAFE_INTEGER }), 413, 'file_too_large')
    expectBody(await ask({ size: 26_214_400 }), 201)
  })
})

describe('hostile 69: a name', () => {
  it.each([
    ['FL-046', 'a/b/c.txt', 'c.txt'],
    ['FL-046', '..\\..\\a.txt', 'a.txt'],
    ['FL-046', 'C:\\a/b\\c.txt', 'c.txt'],
    ['FL-047', 'a\u0007b.txt', 'ab.txt'],
    ['FL-047', 'a\u0000b\u001f\u007f\u0085.txt', 'ab.txt'],
    ['FL-047', 'a\r\nb\t.txt', 'ab.txt'],
    ['FL-047', 'a\u202etxt.\u2066exe\u2069.txt', 'atxt.exe.txt'],
    ['FL-048', 'a   b.txt', 'a b.txt'],
    ['FL-048', '  a \u00a0\u2003 b.txt \u3000', 'a b.txt'],
    ['FL-045', 'READ me.TXT', 'READ me.TXT'],
    ['FL-002', 'Größe “1” 😀;’.txt', 'Größe “1” 😀;’.txt'],
  ])('[%s] as %j is kept as %j', async (_id, name, kept) => {
    expect((await addFile(own, 'location', place, { name })).name).toBe(kept)
  })
})
