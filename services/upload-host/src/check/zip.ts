/**
 * Whether a file is a zip that any reader reads the same way, and safely.
 *
 * Entries lie end to end from the first byte to the directory, and the directory ends where the end record begins:
 * so nothing overlaps, nothing comes before and nothing hides between. Declared sizes are within the limit together,
 * and no entry unpacks to more than it declares: so a bomb ends at the first byte too many.
 */
import { open } from 'node:fs/promises'
import { FileWindow } from './file-window'
import { readDirectory, type ZipDirectory, type ZipLimits } from './zip-directory'
import { isSoundEntry } from './zip-entry'

export const zipLimits: ZipLimits = { entries: 10_000, unpackedBytes: 262_144_000 }

/** `size` is the file's. Throws only when the file cannot be read. */
export async function isSoundZip(path: string, size: number, limits: ZipLimits = zipLimits): Promise<boolean> {
  const handle = await open(path)
  try {
    const file = new FileWindow(handle, size)
    const directory = await readDirectory(file, limits)
    return directory !== null && (await areSoundEntries(file, directory))
  } finally {
    await handle.close()
  }
}

async function areSoundEntries(file: FileWindow, directory: ZipDirectory): Promise<boolean> {
  // A directory may list entries in another order than they lie in.
  const entries = directory.entries.toSorted((a, b) => a.offset - b.offset)
  let reached = 0
  for (const [index, entry] of entries.entries()) {
    const end = entries[index + 1]?.offset ?? directory.offset
    if (entry.offset !== reached || !(await isSoundEntry(file, entry, end))) return false
    reached = end
  }
  return reached === directory.offset
}
