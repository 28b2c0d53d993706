import { randomUUID } from 'node:crypto'
import { startSystem, type System } from '@worlds/testkit/system'
import { newOwner } from './support'
let system: System
beforeAll(async () => { system = await startSystem() })
afterAll(() => system.stop())
it('probe', async () => {
  const own = await newOwner(system)
  const out: unknown[] = []
  const say = (what: string, r: any) => out.push([what, r.status, r.text.slice(0, 200)])
  const a = randomUUID()
  say('claimed', await own.post('/api/v2/bulk', { items: [
    { type: 'character', element: { id: a, name: 'A', location: randomUUID() } },
    { type: 'location', element: { id: a, name: 'L' } } ] }))
  const big = 'x'.repeat(2_000_000)
  for (let i = 0; i < 8; i++) await own.make('law', { description: big })
  const l = await own.get('/api/v2/law?limit=1000')
  out.push(['large list', l.body.data.length, l.body.has_more])
  const p = await own.make('pin', {})
  const home = await own.make('location')
  await own.patch(`/api/v2/pin/${p.id}`, { element_type: 'location', element_id: home.id })
  say('type emptied', await own.patch(`/api/v2/pin/${p.id}`, { element_type: '' }))
  say('put with malformed if-match', await own.put(`/api/v2/pin/${p.id}`, { name: 'x' }, { 'If-Match': 'abc' }))
  say('dup ext', await own.post('/api/v2/character', '{"name":"A","x_a":1,"x_a":2}'))
  say('name empty filter', await own.get('/api/v2/character?name='))
  say('icontains empty', await own.get('/api/v2/character?name__icontains=&fields=id'))
  say('get w/ body header', await own.get('/api/v2/character', { 'Content-Type': 'application/json' }))
  say('slash list', await own.get('/api/v2/character/?limit=1'))
  say('slash bulk', await own.post('/api/v2/bulk/', { items: [] }))
  say('slash changes', await own.get('/api/v2/changes/?limit=1'))
  say('slash links', await own.post(`/api/v2/character/${a}/links/friends/`, {}))
  say('double slash', await own.get('/api/v2/character//'))
  const r = await Promise.all(Array.from({ length: 30 }, (_, i) => own.post('/api/v2/bulk', { items: [{ type: 'zone', element: { id: a, name: String(i) } }, { type: 'zone', element: { name: 'n' } }] })))
  out.push(['parallel bulk', r.map((x) => x.status + ':' + x.body.items.map((s: any) => s.status)).join(' ')])
  say('links dup null', await own.post(`/api/v2/character/${home.id}/links/friends`, { add: null }))
  console.log(JSON.stringify(out, null, 1))
})
