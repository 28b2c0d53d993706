import type { PinGuessing__Output as PinGuessing } from '@worlds/proto/generated/worlds/membership/v1/PinGuessing'
import type { PinGuessingReply } from '@worlds/proto/generated/worlds/membership/v1/PinGuessingReply'
import type { Context } from '../context'
import { notifyPinGuessing } from '../pin-notice'

export async function reportPinGuessing(context: Context, { pin_holder }: PinGuessing): Promise<PinGuessingReply> {
  await notifyPinGuessing(context, pin_holder)
  return {}
}
