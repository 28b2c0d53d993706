// Runs DISTRIBUTE_SQL, statement by statement, and leaves tables that are distributed already.
const { env } = require('node:process')
const { Client } = require('pg')

async function run() {
  const client = new Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  const { rows } = await client.query("select from pg_catalog.pg_extension e where e.extname = 'citus'")
  if (rows.length === 0) throw new Error('this database has no citus extension')
  const spread = []
  const statements = env.DISTRIBUTE_SQL.replace(/^--.*$/gm, '').split(';')
  for (const statement of statements.map((text) => text.trim()).filter((text) => text !== '')) {
    const [, table] = /create_distributed_table\('([^']+)'/.exec(statement)
    const known = await client.query('select from pg_dist_partition p where p.logicalrelid = $1::regclass', [table])
    if (known.rows.length > 0) continue
    await client.query(statement)
    spread.push(table)
  }
  await client.end()
  console.log(JSON.stringify({ distributed: spread }))
}

run().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
