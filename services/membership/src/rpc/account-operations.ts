import { acceptInvite } from './accept-invite'
import { addEmail } from './add-email'
import { addWatched } from './add-watched'
import { cancelInvite } from './cancel-invite'
import { createInvite } from './create-invite'
import { createKey } from './create-key'
import { createLink } from './create-link'
import { createSeat } from './create-seat'
import { createToken } from './create-token'
import { createWorld } from './create-world'
import { deleteAccount } from './delete-account'
import { deleteWorld } from './delete-world'
import { getAccount } from './get-account'
import { getWorld } from './get-world'
import { leaveWorld } from './leave-world'
import { listInvites } from './list-invites'
import { listKeys } from './list-keys'
import { listLinks } from './list-links'
import { listMembers } from './list-members'
import { listSeats } from './list-seats'
import { listTokens } from './list-tokens'
import { listWatched } from './list-watched'
import { listWorlds } from './list-worlds'
import { refuseInvite } from './refuse-invite'
import { removeMember, removeSeat } from './remove-member'
import { removeWatched } from './remove-watched'
import { revokeKey } from './revoke-key'
import { revokeLink } from './revoke-link'
import { revokeToken } from './revoke-token'
import { updateAccount } from './update-account'
import { updateMember } from './update-member'
import { updateWorld } from './update-world'
import { verifyEmail } from './verify-email'

/** What /api/v2/account does, by the names of the RPCs. */
export const accountOperations = {
  GetAccount: getAccount,
  UpdateAccount: updateAccount,
  DeleteAccount: deleteAccount,
  ListTokens: listTokens,
  CreateToken: createToken,
  RevokeToken: revokeToken,
  ListWorlds: listWorlds,
  CreateWorld: createWorld,
  GetWorld: getWorld,
  UpdateWorld: updateWorld,
  DeleteWorld: deleteWorld,
  ListKeys: listKeys,
  CreateKey: createKey,
  RevokeKey: revokeKey,
  AddEmail: addEmail,
  VerifyEmail: verifyEmail,
  ListWatched: listWatched,
  AddWatched: addWatched,
  RemoveWatched: removeWatched,
  ListMembers: listMembers,
  UpdateMember: updateMember,
  RemoveMember: removeMember,
  LeaveWorld: leaveWorld,
  CreateInvite: createInvite,
  CancelInvite: cancelInvite,
  ListInvites: listInvites,
  AcceptInvite: acceptInvite,
  RefuseInvite: refuseInvite,
  ListLinks: listLinks,
  CreateLink: createLink,
  RevokeLink: revokeLink,
  ListSeats: listSeats,
  CreateSeat: createSeat,
  RemoveSeat: removeSeat,
}
