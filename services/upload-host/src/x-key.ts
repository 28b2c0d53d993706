/** Keys that images choose for themselves (D2). */
import { type ImageType, imageTypes } from '@worlds/storage/kinds'
import { Refused } from './refusals'

const longest = 200

/** The key that was sent, null when none was; what its bytes must be is judged when they are known. */
export function readXKey(sent: string | undefined, prefix: string): string | null {
  if (sent === undefined || sent === '') return null
  if (sent.length > longest) throw new Refused('bad_key', `longer than ${longest} characters`)
  if (!sent.startsWith(prefix) || sent.length === prefix.length) throw new Refused('bad_key', `not under ${prefix}`)
  if (!/^[a-z0-9._/-]+$/.test(sent)) throw new Refused('bad_key', 'only a-z 0-9 . _ - and slashes')
  const segments = sent.split('/')
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new Refused('bad_key', 'an empty or relative part')
  }
  return sent
}

export function checkExtension(key: string, type: ImageType): void {
  const name = key.slice(key.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const { extensions } = imageTypes[type]
  if (dot >= 0 && extensions.includes(name.slice(dot + 1))) return
  throw new Refused('bad_key', `the bytes are ${type}: the key ends in .${extensions.join(' or .')}`)
}
