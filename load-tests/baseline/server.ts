/**
 * Path A, what the system is measured against: stock express and pg over one table, the stored
 * text passed through, no credentials, no checks, no views. Written the plain way one would.
 */
import type { AddressInfo } from 'node:net'
import express from 'express'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const app = express()
app.use(express.json({ limit: '2.5mb' }))

app.get('/:world/:type/:id', async (request, response) => {
  const { world, type, id } = request.params
  const { rows } = await pool.query({
    name: 'one',
    text: 'select i.body from baseline.items i where i.world_id = $1 and i.id = $2 and i.type = $3',
    values: [world, id, type],
  })
  response.type('json').send(rows[0].body)
})

app.get('/:world/:type', async (request, response) => {
  const { world, type } = request.params
  const { after = '0', limit = '100', contains } = request.query
  const filter = contains === undefined ? '' : "and i.folded_name like '%' || $5 || '%'"
  const { rows } = await pool.query({
    name: contains === undefined ? 'list' : 'filtered',
    text: `
      select i.seq, i.body from baseline.items i
      where i.world_id = $1 and i.type = $2 and i.seq > $3 ${filter} order by i.seq limit $4`,
    values: [world, type, after, limit, ...(contains === undefined ? [] : [contains])],
  })
  response.set('x-last', String(rows.at(-1)?.seq ?? 0))
  response.type('json').send(`{"data":[${rows.map(({ body }) => body).join()}]}`)
})

app.get('/:world', async (request, response) => {
  const { after = '0', limit = '1000' } = request.query
  const { rows } = await pool.query({
    name: 'walk',
    text: 'select i.seq, i.body from baseline.items i where i.world_id = $1 and i.seq > $2 order by i.seq limit $3',
    values: [request.params.world, after, limit],
  })
  response.set('x-last', String(rows.at(-1)?.seq ?? 0))
  response.type('json').send(`{"changes":[${rows.map(({ body }) => body).join()}]}`)
})

const insert = `
  with head as (
    update baseline.heads h set head = h.head + 1 where h.world_id = $1 returning h.head
  )
  insert into baseline.items (world_id, id, type, seq, folded_name, body)
  select $1, gen_random_uuid(), $2, head.head, lower($3), $4 from head returning body`

app.post('/:world/:type', async (request, response) => {
  const { world, type } = request.params
  const { rows } = await pool.query({
    name: 'create',
    text: insert,
    values: [world, type, request.body.name, JSON.stringify(request.body)],
  })
  response.status(201).type('json').send(rows[0].body)
})

app.patch('/:world/:type/:id', async (request, response) => {
  const { rows } = await pool.query({
    name: 'patch',
    text: `
      with head as (
        update baseline.heads h set head = h.head + 1 where h.world_id = $1 returning h.head
      )
      update baseline.items i set body = (i.body::jsonb || $3::jsonb)::text, seq = head.head
      from head where i.world_id = $1 and i.id = $2 returning i.body`,
    values: [request.params.world, request.params.id, JSON.stringify(request.body)],
  })
  response.type('json').send(rows[0].body)
})

app.put('/:world', async (request, response) => {
  const { rowCount } = await pool.query({
    name: 'bulk',
    text: `
      with head as (
        update baseline.heads h set head = h.head + jsonb_array_length($2::jsonb) where h.world_id = $1 returning h.head
      )
      insert into baseline.items (world_id, id, type, seq, folded_name, body)
      select $1, gen_random_uuid(), e.item->>'type', head.head - e.at + 1, lower(e.item->'element'->>'name'),
        (e.item->'element')::text
      from head, jsonb_array_elements($2::jsonb) with ordinality as e (item, at)`,
    values: [request.params.world, JSON.stringify(request.body.items)],
  })
  response.json({ written: rowCount })
})

const server = app.listen(0, '127.0.0.1', () => {
  console.log(
    JSON.stringify({ event: 'listening', address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  )
})
process.once('SIGTERM', () => process.exit(0))
