import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withOwnImages } from './own-images'

export interface Asset {
  readonly body: Buffer
  readonly type: string
}

/** Beside `src` and `dist`. */
const folder = join(__dirname, '..', '..', 'assets')

export function readAsset(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

const javascript = 'text/javascript; charset=utf-8'
const styles = 'text/css; charset=utf-8'

/** What the page loads, by name. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const of = (path: string, type: string): Asset => ({ body: readFileSync(path), type })
  const { css, images } = withOwnImages(readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css'), 'utf8'))
  return new Map([
    ['docs.css', of(join(folder, 'docs.css'), styles)],
    ['docs.js', of(join(folder, 'docs.js'), javascript)],
    ['favicon.png', of(require.resolve('swagger-ui-dist/favicon-32x32.png'), 'image/png')],
    ['swagger-ui-bundle.js', of(require.resolve('swagger-ui-dist/swagger-ui-bundle.js'), javascript)],
    ['swagger-ui.css', { body: Buffer.from(css), type: styles }],
    ...images,
  ])
}
