import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { JoinRequest__Output as JoinRequest } from '@worlds/proto/generated/worlds/membership/v1/JoinRequest'
import type { Context } from '../context'
import { readBody } from '../domain/body'
import { noSuchCode, openLink, readCode } from './open-link'
import { ok } from './reply'

/** Whoever has the code sees of the world's Characters what everybody would. */
export async function previewJoin(context: Context, { body }: JoinRequest): Promise<Reply> {
  const link = await openLink(context, readBody(body, { code: readCode }).code)
  const [worlds, roll] = await Promise.all([
    context.roll.describeWorlds([link.worldId]),
    context.roll.read(link.worldId, 'public'),
  ])
  const world = worlds.get(link.worldId)
  if (world === undefined || roll === undefined) throw noSuchCode()
  const owner = roll.find(({ kind }) => kind === 'owner')
  const hasCharacter = owner !== undefined && owner.character !== ''
  return ok({
    reader: link.reader,
    role: link.role,
    world: { name: world.name, description: world.description },
    invited_by: link.ownerName,
    owner_character: hasCharacter ? owner.character_name : null,
    with_character: link.withCharacter,
    expires_at: link.expiresAt,
  })
}
