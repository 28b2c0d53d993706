import { invalid, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { CreateAccountRequest__Output as CreateAccountRequest } from '@worlds/proto/generated/worlds/membership/v1/CreateAccountRequest'
import { digest, pinText } from '@worlds/runtime/secrets'
import { argon2id, hash } from 'argon2'
import { uuidv7 } from 'uuidv7'
import type { Context } from '../context'
import { name as readName, text } from '../domain/body'
import { readEmail } from '../domain/email'
import { accountPinHolder, newPin } from '../domain/pin'
import { issueToken } from '../issue'
import { insertAccount } from '../store/accounts'
import { insertVerifiedEmail } from '../store/emails'
import { created } from './reply'

const hashing = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const readPassword = text({ max: 1_024 })

/** On the command line an option that was not given is an empty string. */
export async function createAccount(context: Context, request: CreateAccountRequest): Promise<Reply> {
  const id = uuidv7()
  const email = readEmail(request.email)
  const name = readName(request.name, 'name')
  const pin = request.pin === '' ? undefined : newPin(request.pin, 'pin')
  const password = readPassword(request.password, 'password')
  const pinDigest = pin === undefined ? null : digest(context.peppers, pinText(accountPinHolder(id), pin))
  const passwordHash = password === '' ? null : await hash(password, hashing)

  const secret = await context.db.transaction(async (tx) => {
    await insertAccount(tx, { id, name, pinDigest, passwordHash })
    if (!(await insertVerifiedEmail(tx, id, email))) {
      throw new RefusalError(invalid('email', 'Another account has this email.'))
    }
    return (await issueToken(context, tx, id, '')).secret
  })
  return created({ account: { id, email: email.address }, token: secret })
}
