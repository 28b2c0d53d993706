/** Ids and secrets of the worked examples. */
import { categories } from '@worlds/domain/registry'

const idOf = (group: number, number: number) =>
  `0198f0c4-${group.toString(16).padStart(4, '0')}-7000-8000-${number.toString(16).padStart(12, '0')}`

const slugs = [...categories.keys()]

/** The example element of a category, or another one of it. */
export const elementId = (slug: string, number = 1): string => idOf(slugs.indexOf(slug) + 0x10, number)

/** Minted by the server. */
export const ids = {
  world: idOf(0, 1),
  owner: idOf(1, 1),
  membership: idOf(2, 1),
  seat: idOf(2, 2),
  key: idOf(3, 1),
  token: idOf(4, 1),
  invite: idOf(5, 1),
  link: idOf(6, 1),
  watched: idOf(7, 1),
  file: idOf(8, 1),
  image: idOf(9, 1),
} as const

const secretOf = (prefix: string) => `${prefix}example`.padEnd(prefix.length + 43, '0')

export const secrets = {
  writeKey: secretOf('ow_w_'),
  readKey: secretOf('ow_r_'),
  accountToken: secretOf('ow_a_'),
  seatSecret: secretOf('ow_s_'),
  joinCode: secretOf('ow_j_'),
  emailToken: secretOf('ow_e_'),
} as const

export const at = '2026-07-18T11:09:57.922094+00:00'
export const later = '2026-07-19T08:30:00.000000+00:00'
/** Unix seconds. */
export const expiry = 1_784_400_000
export const ticket = 'eyJhbGciOiJFZERTQSJ9.eyJ1c2VzIjoxfQ.ZXhhbXBsZQ'
export const base = 'https://worlds.example'
export const filesUrl = 'https://files.worlds.example'
export const uploadUrl = 'https://upload.worlds.example/v1/upload'
