import { invalid, noSuch, RefusalError } from '@worlds/domain/errors'
import { digests } from '@worlds/runtime/secrets'
import type { Context } from '../context'
import { text } from '../domain/body'
import { findOpenLink, type OpenLink } from '../store/join-links'

export const readCode = text({ max: 255 })

/** Codes that never were, were spent, revoked or have expired are all the same. */
export const noSuchCode = () => new RefusalError(noSuch('join code'))

export async function openLink(context: Context, code: string | undefined): Promise<OpenLink> {
  if (code === undefined) throw new RefusalError(invalid('code', 'code is required.'))
  const link = await findOpenLink(context.db, digests(context.peppers, code))
  if (link === undefined) throw noSuchCode()
  return link
}
