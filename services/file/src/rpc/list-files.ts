import type { ElementFilesRequest__Output } from '@worlds/proto/generated/worlds/file/v1/ElementFilesRequest'
import type { FileRecord } from '@worlds/proto/generated/worlds/file/v1/FileRecord'
import type { FilesReply } from '@worlds/proto/generated/worlds/file/v1/FilesReply'
import type { WorldFilesRequest__Output } from '@worlds/proto/generated/worlds/file/v1/WorldFilesRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { worldFileBytes } from '@worlds/storage/kinds'
import type { Context } from '../context'
import { type ListedFile, listFiles, listWorldFiles, readUsedBytes } from '../store/files'

/** Records of one message, far below what one may hold. */
const inPart = 2_000

/** Files of one element, for whoever sees it (L352). */
export async function listElementFiles(
  { sight, db }: Context,
  request: ElementFilesRequest__Output,
): Promise<FilesReply[]> {
  const principal = principalOf(request)
  const element = await sight.find(principal, request.type, request.id)
  const files = await listFiles(db, principal.world_id, element.id, element.birth)
  return inParts(files, {})
}

/** All files that the key sees; the sum is of all there are (A68). */
export async function listFilesOfWorld(
  { sight, db }: Context,
  request: WorldFilesRequest__Output,
): Promise<FilesReply[]> {
  const principal = principalOf(request)
  const files = await listWorldFiles(db, principal.world_id)
  const seen = await sight.findAll(principal, [...new Set(files.map(({ elementId }) => elementId))])
  const shown = files.filter(({ elementId, birth }) => seen.get(elementId)?.birth === birth)
  const used_bytes = await readUsedBytes(db, principal.world_id)
  return inParts(shown, { used_bytes, cap_bytes: worldFileBytes })
}

function inParts(files: readonly ListedFile[], facts: { used_bytes?: number; cap_bytes?: number }): FilesReply[] {
  const parts: FilesReply[] = [{ files: { files: files.slice(0, inPart).map(toRecord), ...facts } }]
  for (let start = inPart; start < files.length; start += inPart) {
    parts.push({ files: { files: files.slice(start, start + inPart).map(toRecord) } })
  }
  return parts
}

function toRecord(file: ListedFile): FileRecord {
  return {
    id: file.id,
    name: file.name,
    kind: file.kind,
    size: file.size,
    label: file.label ?? '',
    element_type: file.elementType,
    element_id: file.elementId,
    account: file.accountId,
    membership: file.membership ?? '',
    agent: file.agent,
    agent_name: file.agentName,
    added_at: file.addedAt,
  }
}
