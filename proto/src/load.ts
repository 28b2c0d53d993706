import { dirname, join } from 'node:path'
import { loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import type { ProtoGrpcType as ChangeFeedTypes } from './generated/changefeed'
import type { ProtoGrpcType as ChannelTypes } from './generated/channel'
import type { ProtoGrpcType as ElementTypes } from './generated/element'
import type { ProtoGrpcType as FileTypes } from './generated/file'
import type { ProtoGrpcType as MembershipTypes } from './generated/membership'

const root = dirname(__dirname)

/** Loads one package's `.proto` file. The flags are the ones that the types are generated with. */
function load<T>(file: string): T {
  const definition = loadSync(join(root, 'worlds', file), {
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: true,
    includeDirs: [root],
  })
  return loadPackageDefinition(definition) as unknown as T
}

export const changeFeedV1 = load<ChangeFeedTypes>('changefeed/v1/changefeed.proto').worlds.changefeed.v1
export const elementV1 = load<ElementTypes>('element/v1/element.proto').worlds.element.v1
export const fileV1 = load<FileTypes>('file/v1/file.proto').worlds.file.v1
export const membershipV1 = load<MembershipTypes>('membership/v1/membership.proto').worlds.membership.v1
export const channelV1 = load<ChannelTypes>('channel/v1/channel.proto').worlds.channel.v1
