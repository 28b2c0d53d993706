/** Images that a style sheet carries in itself, by the names that it finds them under instead. */
export interface OwnImages {
  readonly css: string
  readonly images: ReadonlyMap<string, { readonly body: Buffer; readonly type: string }>
}

/** A page whose policy takes images from its host alone takes none from a `data:` address. */
export function withOwnImages(css: string): OwnImages {
  const images = new Map<string, { body: Buffer; type: string }>()
  const shown = css.replace(
    /url\((?:"(data:(?:[^"\\]|\\.)*)"|(data:[^)"]*))\)/g,
    (_, quoted?: string, bare?: string) => {
      const { body, type, ending } = readDataUrl((quoted ?? bare ?? '').replaceAll('\\', ''))
      const name = `image-${images.size + 1}.${ending}`
      images.set(name, { body, type })
      return `url("${name}")`
    },
  )
  return { css: shown, images }
}

function readDataUrl(url: string): { body: Buffer; type: string; ending: string } {
  const [, type = '', ending = '', encoding = '', data = ''] =
    /^data:(image\/(\w+)[^;,]*)([^,]*),(.*)$/s.exec(url) ?? []
  if (type === '') throw new Error(`no image: ${url.slice(0, 60)}`)
  const isBase64 = encoding.endsWith(';base64')
  return { body: isBase64 ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data)), type, ending }
}
