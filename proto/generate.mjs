// Generates src/generated from worlds/**/*.proto, with the same flags that src/load.ts loads them with.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const here = import.meta.dirname
const loader = dirname(createRequire(import.meta.url).resolve('@grpc/proto-loader/package.json'))
const files = readdirSync(join(here, 'worlds'), { recursive: true })
  .filter((file) => file.endsWith('.proto'))
  .map((file) => join('worlds', file))
  .sort()
const out = join(here, 'src', 'generated')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
execFileSync(
  process.execPath,
  [
    join(loader, 'build/bin/proto-loader-gen-types.js'),
    ...['--keepCase', '--longs=Number', '--enums=String', '--defaults', '--oneofs', '--includeComments'],
    ...['--grpcLib=@grpc/grpc-js', `--includeDirs=${here}`, `--outDir=${out}`],
    ...files,
  ],
  { cwd: here, stdio: 'inherit' },
)
