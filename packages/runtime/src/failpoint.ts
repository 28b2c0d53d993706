/**
 * Named places where a test may break a process. Inert unless FAILPOINTS is set to
 * `name=exit`, `name=error` or `name=wait:<ms>`, comma-separated; `name=exit@file` fires only
 * while that file exists, and once: it is removed first.
 */
import { existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

type Action = { readonly kind: string; readonly file: string | undefined }

export class Failpoints {
  readonly #actions = new Map<string, Action>()

  constructor(setting: string) {
    for (const item of setting.split(',').filter((text) => text !== '')) {
      const [name = '', action = ''] = item.split('=')
      const [kind = '', file] = action.split('@')
      this.#actions.set(name, { kind, file })
    }
  }

  async reach(name: string): Promise<void> {
    if (this.#actions.size === 0) return
    const action = this.#actions.get(name)
    if (action === undefined) return
    if (action.file !== undefined) {
      if (!existsSync(action.file)) return
      rmSync(action.file)
    }
    if (action.kind === 'exit') process.kill(process.pid, 'SIGKILL')
    if (action.kind === 'error') throw new Error(`failpoint ${name}`)
    if (action.kind.startsWith('wait:')) await sleep(Number(action.kind.slice(5)))
  }
}
