import type { Database } from '@worlds/runtime/postgres'
import { worldFileBytes } from '@worlds/storage/kinds'
import { type Rooms, worldRoom } from '@worlds/storage/rooms'
import { type FileToList, type Listed, listFiles } from '../store/list-file'

interface Waiting {
  readonly file: FileToList
  readonly resolve: (outcome: Listed) => void
  readonly reject: (error: unknown) => void
}

/**
 * Lists files. Those of one world would wait for each other under its lock, a commit each: whoever comes while some
 * are under way is listed with all the others that have come by then.
 */
export class Listings {
  /** By the world that files are being listed of: who comes next. */
  readonly #next = new Map<string, Waiting[]>()

  constructor(
    private readonly db: Database,
    private readonly rooms: Rooms,
    private readonly dueInMs: number,
  ) {}

  list(file: FileToList): Promise<Listed> {
    return new Promise((resolve, reject) => {
      const waiting = { file, resolve, reject }
      const next = this.#next.get(file.worldId)
      if (next === undefined) void this.#work(file.worldId, [waiting])
      else next.push(waiting)
    })
  }

  async #work(worldId: string, first: Waiting[]): Promise<void> {
    for (let some = first; some.length > 0; some = this.#next.get(worldId) ?? []) {
      this.#next.set(worldId, [])
      await this.#listSome(worldId, some)
    }
    this.#next.delete(worldId)
  }

  async #listSome(worldId: string, some: readonly Waiting[]): Promise<void> {
    const room = worldRoom(worldId)
    const rules = { room, cap: worldFileBytes, dueInMs: this.dueInMs }
    try {
      const files = some.map(({ file }) => file)
      // What was promised is kept since its ticket was spent; but Redis may have gone back in time.
      const promised = files.filter(({ hasRoom }) => hasRoom)
      await Promise.all(promised.map(({ id, bytes }) => this.rooms.keep(room, id, bytes)))
      const outcomes = await listFiles(this.db, worldId, files, rules)
      for (const [index, { resolve }] of some.entries()) resolve(outcomes[index] as Listed)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }
}
