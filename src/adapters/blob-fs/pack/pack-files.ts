import { type FileHandle, open } from 'node:fs/promises'
import { readFully } from '../folder/disk.ts'

const MAX_OPEN = 64
const IDLE_MS = 30_000

interface OpenPack {
  readonly handle: Promise<FileHandle>
  used: boolean
}

/**
 * Keeps packs open for reading. One that nobody read for a while is closed, so that the space of a pack which another
 * process compacted away is given back.
 */
export class PackFiles {
  readonly #pathOf: (name: string) => string
  readonly #open = new Map<string, OpenPack>()
  readonly #sweep: NodeJS.Timeout

  constructor(pathOf: (name: string) => string) {
    this.#pathOf = pathOf
    this.#sweep = setInterval(() => this.#closeIdle(), IDLE_MS)
    this.#sweep.unref()
  }

  /** Fewer bytes than asked for where the pack is shorter; rejects with ENOENT where the pack is gone. */
  async read(name: string, offset: number, length: number): Promise<Buffer> {
    const pack = this.#open.get(name) ?? { handle: open(this.#pathOf(name), 'r'), used: true }
    pack.used = true
    this.#open.delete(name)
    this.#open.set(name, pack)
    if (this.#open.size > MAX_OPEN) this.#closeOldest()
    try {
      const handle = await pack.handle
      return await readFully(handle, length, offset)
    } catch (error) {
      if (this.#open.get(name) === pack) this.forget(name)
      throw error
    }
  }

  forget(name: string): void {
    const pack = this.#open.get(name)
    this.#open.delete(name)
    if (pack !== undefined) void closeQuietly(pack)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map(closeQuietly))
  }

  #closeOldest(): void {
    const [oldest] = this.#open.keys()
    if (oldest !== undefined) this.forget(oldest)
  }

  #closeIdle(): void {
    for (const [name, pack] of this.#open) {
      if (pack.used) pack.used = false
      else this.forget(name)
    }
  }
}

/** Node waits for reads under way before it closes; a file that never opened has told its reader already. */
const closeQuietly = ({ handle }: OpenPack): Promise<void> =>
  handle.then((file) => file.close()).catch(() => undefined)
