import { invalid, invalidLink, noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import { digest } from '@worlds/runtime/secrets'
import { uuidv7 } from 'uuidv7'
import type { Context } from '../context'
import { type Fields, flag, name, oneOf, optionalId, type Reader, readBody, role, text } from '../domain/body'
import { type Email, readEmail } from '../domain/email'
import { mintJoinCode } from '../domain/keys'
import type { MemberRole } from '../domain/members'
import { linkRow } from '../domain/sharing'
import { chooseSponsor } from '../sponsor-offer'
import { insertJoinLink } from '../store/join-links'
import { lockOpenWorld } from '../store/worlds'
import { created } from './reply'
import { readOwnedWorld } from './world-tie'

const days: Reader<number> = (value, field) => {
  if (value === 1 || value === 7 || value === 30) return value
  throw new RefusalError(invalid(field, `${field} must be 1, 7 or 30.`))
}

const emailText = text({ max: 254 })
const sponsorEmail: Reader<Email | null> = (value, field) =>
  value === null ? null : readEmail(emailText(value, field), field)

const readers = {
  reader: oneOf(['agent', 'player']),
  role,
  days,
  sponsor_email: sponsorEmail,
  character: optionalId,
  with_character: flag,
  name,
}

const dayMs = 86_400_000

/** No answer shows whether an account has `sponsor_email`. */
export async function createLink(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readOwnedWorld(context, request)
  const fields = readBody(request.body, readers)
  const { reader, with_character = true } = fields
  const character = fields.character ?? null
  if (reader === undefined) throw new RefusalError(invalid('reader', 'reader is required.'))
  const given = roleOf(reader, fields)
  if (!with_character && character !== null) {
    throw new RefusalError(invalid('with_character', 'A link with a Character cannot be one without.'))
  }
  if (character !== null && !(await context.roll.hasCharacter(world.id, world.ownerAccount, character))) {
    throw new RefusalError(invalidLink('character', 'Character'))
  }

  const code = mintJoinCode()
  const link = await context.db.transaction(async (tx) => {
    if (!(await lockOpenWorld(tx, world.id))) throw new RefusalError(noSuch('world'))
    return insertJoinLink(tx, {
      id: uuidv7(),
      worldId: world.id,
      reader,
      role: given,
      digest: digest(context.peppers, code),
      name: fields.name ?? '',
      sponsor: await chooseSponsor(tx, world, reader === 'agent' ? (fields.sponsor_email ?? null) : null),
      character,
      withCharacter: with_character,
      lifeMs: (fields.days ?? 7) * dayMs,
    })
  })
  const { id, expires_at, status } = linkRow(link)
  const url = `${context.portalUrl.replace(/\/*$/, '')}/join#${code}`
  return created({ id, reader, role: given, code, link: url, expires_at, status })
}

function roleOf(reader: string, fields: Fields<typeof readers>): MemberRole {
  if (reader === 'agent') return fields.role ?? 'contributor'
  if (fields.role !== undefined && fields.role !== 'guest') {
    throw new RefusalError(invalid('role', 'A player is a guest.'))
  }
  return 'guest'
}
