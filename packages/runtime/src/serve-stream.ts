import { Metadata, type ServerDuplexStream, status } from '@grpc/grpc-js'
import type { Frame__Output } from '@worlds/proto/generated/worlds/channel/v1/Frame'
import type { Frames, Frames__Output } from '@worlds/proto/generated/worlds/channel/v1/Frames'
import { FrameSender } from './frame-sender'
import { CallContext, type Operation } from './operation'
import { ReplyWindow } from './reply-window'
import { inServerSpan } from './tracing'

/** A method as the channel's frames name it. */
export interface Method {
  readonly operation: Operation
  readonly deserialize: (bytes: Buffer) => unknown
  readonly serialize: (value: unknown) => Buffer
}

/** Answers the calls of one stream as they come, each when it is done. */
export function serveStream(
  stream: ServerDuplexStream<Frames__Output, Frames>,
  methods: ReadonlyMap<string, Method>,
  streams: Set<FrameSender>,
): void {
  // Tells the client that the stream is taken, and not refused as its connection ends.
  stream.sendMetadata(new Metadata())
  const sender = new FrameSender(stream)
  const calls = new Map<number, OpenCall>()
  let underWay = 0
  let ended = false
  streams.add(sender)
  const finish = () => {
    if (ended && underWay === 0) setImmediate(() => stream.end())
  }
  stream.on('data', ({ frames }: Frames__Output) => {
    for (const frame of frames) {
      if (frame.method === '') {
        const call = calls.get(frame.id)
        if (frame.cancel) abandon(call)
        else call?.window.grant(frame.credit)
        continue
      }
      underWay += 1
      const call = { window: new ReplyWindow(frame.window), context: new CallContext() }
      calls.set(frame.id, call)
      void answer(frame, methods.get(frame.method), sender, call).then(() => {
        calls.delete(frame.id)
        underWay -= 1
        finish()
      })
    }
  })
  stream.on('end', () => {
    ended = true
    // A client ends its stream when it waits for no call: what is still under way was given up.
    for (const call of calls.values()) abandon(call)
    finish()
  })
  const forget = () => {
    streams.delete(sender)
    for (const call of calls.values()) abandon(call)
  }
  stream.on('close', forget)
  stream.on('error', forget)
  stream.on('cancelled', forget)
}

interface OpenCall {
  readonly window: ReplyWindow
  readonly context: CallContext
}

/** The caller has left: what is waited for or sent for it ends. */
function abandon(call: OpenCall | undefined): void {
  call?.context.leave()
  call?.window.close()
}

async function answer(
  frame: Frame__Output,
  method: Method | undefined,
  sender: FrameSender,
  { window, context }: OpenCall,
): Promise<void> {
  const { id } = frame
  if (method === undefined) return sender.send({ id, code: status.UNIMPLEMENTED })
  try {
    const run = () => method.operation.run(method.deserialize(frame.payload), context)
    const parts = await inServerSpan(frame.method, frame.traceparent, run)
    context.beginTransfer(() => window.close())
    for (const [index, part] of parts.entries()) {
      const payload = method.serialize(part)
      if (!(await window.take(payload.length))) throw cutOff
      sendPart(sender, id, payload, index < parts.length - 1)
      context.move(payload.length)
    }
  } catch (error) {
    sender.send({ id, code: (error as { code?: number }).code ?? status.INTERNAL })
  } finally {
    context.end()
  }
}

/** What a reply ends with that its client has given up, or takes too slowly while others wait. */
const cutOff = { code: status.ABORTED }

/** Payload bytes of one frame: many calls share the stream, and none may block it or exceed what it takes. */
const frameBytes = 1 << 20

function sendPart(sender: FrameSender, id: number, payload: Buffer, more: boolean): void {
  let at = 0
  for (; payload.length - at > frameBytes; at += frameBytes) {
    sender.send({ id, payload: payload.subarray(at, at + frameBytes), partial: true })
  }
  sender.send({ id, payload: at === 0 ? payload : payload.subarray(at), more })
}
