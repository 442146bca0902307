import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoadedProgram } from '#core/instance/instance.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { DiskSpace } from '#core/ports/disk-space.ts'
import { createDiskSpace } from '../../fs/disk-space.ts'
import { diskUse } from '../disk-use.ts'
import { type CompileCacheState, layCache, readCache } from '../launch/compile-cache.ts'
import { isLeft, ownName } from '../launch/places.ts'
import { leastUsed } from './least-used.ts'

interface CompileCachesOptions {
  readonly folder: string
  /** Of all together, with a part for each file; beyond it, whoever holds the most loses what was used longest ago. */
  readonly maxBytes: number
  /** Nothing more is kept when less than this is free on the disk. */
  readonly freeBytes: number
  /** Whether this archive is unpacked: nothing is kept of those that are not. */
  readonly isUnpacked: (sha256: string) => boolean
  readonly clock: Clock
}

/** Compiled code of a program. */
interface CompiledCode {
  readonly ownerId: string
  /** What it takes of the disk. */
  readonly size: number
  /** That used it last. It goes with that deployment. */
  readonly deploymentId: string
  /** When that was. */
  readonly idleSince: number
}

const NAME = /^([0-9a-f]{64})-[0-9a-f]{32}$/
const META = 'meta.json'
let temporaries = 0

/**
 * Of this program in this project: a program can put there what it likes, and the same code in another's hands must
 * not find it.
 */
export function cacheName({ program, ownerId, projectId }: LoadedProgram): string {
  const key = createHash('sha256')
    .update(JSON.stringify([program.id, ownerId, projectId]))
    .digest('hex')
  return `${program.archive.sha256}-${key.slice(0, 32)}`
}

const sizeOf = ({ files }: CompileCacheState): number => {
  let bytes = 0
  for (const content of files.values()) bytes += content.length
  return diskUse({ bytes, entries: files.size })
}

/**
 * What Node compiled of the programs of this machine. User code has it say what it likes, so all of it together is bounded,
 * and no account's takes the room of another's that has less.
 */
export class CompileCaches {
  readonly #options: CompileCachesOptions
  readonly #kept = new Map<string, CompiledCode>()
  readonly #disk: Pick<DiskSpace, 'free'>
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: CompileCachesOptions) {
    this.#options = options
    this.#disk = createDiskSpace(options.folder)
  }

  /** Takes note of what earlier processes kept. */
  async open(): Promise<void> {
    const { folder } = this.#options
    for (const name of await readdir(folder)) {
      const kept = NAME.test(name) ? await this.#readMeta(name) : undefined
      if (kept) this.#kept.set(name, kept)
      else if (NAME.test(name) || isLeft(name)) await rm(join(folder, name), { recursive: true, force: true })
    }
    await this.clear()
    await this.#inTurn(() => this.#shrink())
  }

  /** What is kept for an instance of this program, which is about to use it. */
  async find(loaded: LoadedProgram): Promise<CompileCacheState | undefined> {
    const name = cacheName(loaded)
    const kept = this.#kept.get(name)
    if (kept === undefined) return undefined
    const used = { ...kept, deploymentId: loaded.deploymentId, idleSince: this.#options.clock.now() }
    this.#kept.set(name, used)
    void this.#inTurn(() => this.#writeMeta(name)).catch(() => {})
    return readCache(this.#placeOf(name)).catch(() => undefined)
  }

  /** Keeps what the Node of an instance has left in a folder, in place of what there was, unless that is `known`. */
  harvest(from: string, loaded: LoadedProgram, known: string | undefined): Promise<void> {
    // One after another: each is read whole.
    return this.#inTurn(async () => {
      if (this.#disk.free() < this.#options.freeBytes) return
      const made = await readCache(from, known)
      if (made) await this.#keep(loaded, made)
    })
  }

  /** It was deleted. */
  forget(deploymentId: string): Promise<void> {
    return this.#inTurn(() => this.#removeWhere((_, kept) => kept.deploymentId === deploymentId))
  }

  /** Removes that of programs which are no longer here. */
  clear(): Promise<void> {
    return this.#inTurn(() =>
      this.#removeWhere((name) => !this.#options.isUnpacked(NAME.exec(name)?.[1] ?? '')),
    )
  }

  /** Resolves when nothing is being written or removed. */
  async settled(): Promise<void> {
    await this.#last
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act)
    this.#last = done.catch(() => {})
    return done
  }

  #placeOf(name: string): string {
    return join(this.#options.folder, name)
  }

  async #readMeta(name: string): Promise<CompiledCode | undefined> {
    try {
      return JSON.parse(await readFile(join(this.#placeOf(name), META), 'utf8')) as CompiledCode
    } catch {
      return undefined
    }
  }

  /** It may have been removed in the meantime. */
  async #writeMeta(name: string): Promise<void> {
    const kept = this.#kept.get(name)
    if (kept) await writeFile(join(this.#placeOf(name), META), JSON.stringify(kept))
  }

  async #keep(loaded: LoadedProgram, made: CompileCacheState): Promise<void> {
    const { ownerId, deploymentId } = loaded
    const name = cacheName(loaded)
    const kept = { ownerId, deploymentId, size: sizeOf(made), idleSince: this.#options.clock.now() }
    const temporary = this.#placeOf(ownName(temporaries++))
    try {
      await layCache(made, temporary)
      await writeFile(join(temporary, META), JSON.stringify(kept))
      await this.#remove(name)
      await rename(temporary, this.#placeOf(name))
      this.#kept.set(name, kept)
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
    await this.#shrink()
  }

  async #shrink(): Promise<void> {
    let size = 0
    for (const kept of this.#kept.values()) size += kept.size
    while (size > this.#options.maxBytes) {
      const all = [...this.#kept].map(([name, kept]) => ({ name, ...kept }))
      const found = leastUsed(all, all)
      if (found === undefined) return
      size -= found.size
      await this.#remove(found.name)
    }
  }

  async #removeWhere(isOver: (name: string, kept: CompiledCode) => boolean): Promise<void> {
    for (const [name, kept] of this.#kept) if (isOver(name, kept)) await this.#remove(name)
  }

  async #remove(name: string): Promise<void> {
    this.#kept.delete(name)
    await rm(this.#placeOf(name), { recursive: true, force: true })
  }
}
