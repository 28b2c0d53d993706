import { addMember, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, ask } from './files-support'
import { call, callForText, closeClients, codeOf, connect } from './mcp-support'
import { newOwner, type Owner } from './support'

let system: System
let own: Owner
beforeAll(async () => {
  system = await startSystem({ files: true })
  own = await newOwner(system)
})
afterAll(() => system.stop())
afterEach(closeClients)

describe('files by the tools', () => {
  it('[AG-015] are listed as by HTTP, for who sees their element', async () => {
    const { id } = await own.make('law')
    const file = await addFile(own, 'law', id)
    const seat = await addSeat(system, own)
    const client = await connect(system, { ...seat.headers })
    expect(await call(client, 'list_files', { type: 'law', id })).toEqual({ data: [file] })
    await own.put(`/api/v2/law/${id}/hidden`)
    expect(await codeOf(client, 'list_files', { type: 'law', id })).toBe('not_found')
    expect(await codeOf(client, 'read_file', { type: 'law', id, file_id: file.id })).toBe('not_found')
  })

  it('[AG-016] are read: text as it is, others in base64, large ones as a link', async () => {
    const { id } = await own.make('law')
    const client = await connect(system, { ...own.headers })
    const read = (file_id: string) => callForText(client, 'read_file', { type: 'law', id, file_id })
    const whole = { url: null, exp: null }

    const line = 'Ærlig — 日本語\n'
    const text = line.repeat(Math.floor((256 << 10) / Buffer.byteLength(line)))
    const note = await addFile(own, 'law', id, { name: 'note.md', kind: 'md' }, text)
    const shown = await read(note.id)
    expect(shown.content === text).toBe(true)
    expect({ ...shown, content: '' }).toEqual({
      ...{ id: note.id, name: 'note.md', kind: 'md', size: Buffer.byteLength(text) },
      ...{ encoding: 'utf-8', content: '', ...whole },
    })

    const longer = await addFile(own, 'law', id, { name: 'long.md', kind: 'md' }, `${text}${line}`)
    expect(await read(longer.id)).toMatchObject({ encoding: null, content: null, url: expect.stringMatching(/^http/) })

    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(1000, 0xff)])
    const pdf = await addFile(own, 'law', id, { name: 'a.pdf', kind: 'pdf' }, bytes)
    expect(await read(pdf.id)).toMatchObject({ encoding: 'base64', content: bytes.toString('base64'), ...whole })

    const large = Buffer.concat([bytes, Buffer.alloc(1 << 20)])
    const link = await read((await addFile(own, 'law', id, { name: 'b.pdf', kind: 'pdf' }, large)).id)
    expect(link).toMatchObject({
      encoding: null,
      content: null,
      url: expect.stringMatching(/^http/),
      exp: expect.any(Number),
    })
    expect((await ask(link.url)).bytes.equals(large)).toBe(true)
  })

  it('are not read from elements that they are not on, nor by guests who do not see those', async () => {
    const [on, other] = await own.seed('law', [{ name: 'On' }, { name: 'Other' }])
    const file = await addFile(own, 'law', String(on))
    const client = await connect(system, { ...own.headers })
    expect(await codeOf(client, 'read_file', { type: 'law', id: other, file_id: file.id })).toBe('not_found')
    expect(await codeOf(client, 'read_file', { type: 'law', id: on, file_id: 'x' })).toBe('invalid_request')
    const guest = await connect(system, { ...(await addMember(system, own, 'guest')).headers })
    expect(await codeOf(guest, 'read_file', { type: 'law', id: on, file_id: file.id })).toBe('not_found')
  })
})
