import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { MINUTE } from '#contract/time.ts'
import { onlyOnce } from '#core/only-once.ts'
import type { OutputContent } from '#core/output/output.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { bootId } from '../../fs/boot-id.ts'
import { syncFileSystem } from '../../fs/sync-file-system.ts'
import { diskUse } from '../disk-use.ts'
import { isLeft, ownName } from '../launch/places.ts'
import { unpack } from './unpack.ts'

/** What lies in a program's folder, each relative to it; folders come before what is in them. */
export interface Tree {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  readonly links: readonly string[]
}

/** A program's folder, unpacked. It is not removed before `release`. */
export interface HeldProgram {
  readonly root: string
  /** Undefined where there is too much in it to list. */
  readonly tree: Tree | undefined
  release(): void
}

interface ProgramFolderOptions {
  readonly folder: string
  readonly blobs: Pick<BlobStore, 'open'>
  readonly clock: Clock
  readonly log: Log
  /** Of all folders together, with a part for each entry; the least recently used are removed beyond. */
  readonly maxBytes: number
  /** Of the content of one. */
  readonly programBytes: number
  readonly programEntries: number
  /** Above it a folder is not listed. */
  readonly listedEntries: number
  /** A folder is no longer there. */
  readonly onRemoved: () => void
  /** Another one each time that the machine has started. */
  readonly boot?: string
  /** From unpacking a program until it is made to outlast a power cut. */
  readonly syncAfterMs?: number
}

interface ProgramFolder {
  readonly root: string
  /** What it takes of the disk. */
  readonly use: number
  tree: Tree | undefined
  usedAt: number
  holders: number
}

interface Meta {
  readonly bytes: number
  readonly entries: number
  /** Of the machine, when it was unpacked. Absent once it outlasts a power cut, and from those of earlier releases. */
  readonly boot?: string
}

const NAME = /^[0-9a-f]{64}$/
/** By then the system has written all of it by itself, so that nobody waits for the disk because of it. */
const SYNC_AFTER_MS = MINUTE
let temporaries = 0

async function listTree(root: string, most: number): Promise<Tree | undefined> {
  const tree = { folders: [] as string[], files: [] as string[], links: [] as string[] }
  const visit = async (folder: string): Promise<boolean> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const name = relative(root, path)
      if (entry.isDirectory()) tree.folders.push(name)
      else if (entry.isSymbolicLink()) tree.links.push(name)
      else tree.files.push(name)
      if (tree.folders.length + tree.files.length + tree.links.length > most) return false
      if (entry.isDirectory() && !(await visit(path))) return false
    }
    return true
  }
  return (await visit(root)) ? tree : undefined
}

/**
 * Programs of this machine: each archive is unpacked once, whoever runs it, under the digest of its content. A folder
 * is there whole or not at all: nobody waits for the disk, so what was unpacked in the last minute before the machine stopped,
 * which may have lost power, is unpacked again.
 */
export class ProgramFolders {
  readonly #options: ProgramFolderOptions
  readonly #boot: string
  readonly #known = new Map<string, ProgramFolder>()
  readonly #opening = new Map<string, Promise<ProgramFolder>>()
  /** What may not be on the disk yet. */
  readonly #unsynced = new Map<ProgramFolder, Meta & { readonly sha256: string }>()
  #syncing: NodeJS.Timeout | undefined
  #cleaning: Promise<void> | undefined

  constructor(options: ProgramFolderOptions) {
    this.#options = options
    this.#boot = options.boot ?? bootId()
  }

  /** Takes note of what earlier processes unpacked. */
  async open(): Promise<void> {
    const { folder } = this.#options
    for (const name of await readdir(folder)) {
      const meta = NAME.test(name) ? await this.#readMeta(name) : undefined
      if (meta)
        this.#known.set(name, {
          root: join(folder, name, 'root'),
          ...{ use: diskUse(meta), tree: undefined, usedAt: meta.usedAt, holders: 0 },
        })
      // However many there are, nothing waits for that.
      else if (NAME.test(name)) void this.#remove(await this.#moveAway(name))
      else if (isLeft(name)) await rm(join(folder, name), { recursive: true, force: true })
    }
  }

  /** Within the call where the folder is there and listed. */
  hold(archive: OutputContent): HeldProgram | Promise<HeldProgram> {
    const known = this.#known.get(archive.sha256)
    return known?.tree ? this.#held(known) : this.#open(archive).then((opened) => this.#held(opened))
  }

  /** The digests of the archives that are unpacked. */
  has(sha256: string): boolean {
    return this.#known.has(sha256)
  }

  #held(known: ProgramFolder): HeldProgram {
    known.holders++
    known.usedAt = this.#options.clock.now()
    return {
      root: known.root,
      tree: known.tree && known.tree.files.length > 0 ? known.tree : undefined,
      release: onlyOnce(() => {
        known.holders--
        known.usedAt = this.#options.clock.now()
        const seconds = known.usedAt / 1000
        void utimes(join(known.root, '..', 'meta.json'), seconds, seconds).catch(() => {})
      }),
    }
  }

  #open(archive: OutputContent): Promise<ProgramFolder> {
    const { sha256 } = archive
    const under = this.#opening.get(sha256)
    if (under) return under
    const opening = this.#make(archive).finally(() => this.#opening.delete(sha256))
    this.#opening.set(sha256, opening)
    return opening
  }

  async #make({ sha256 }: OutputContent): Promise<ProgramFolder> {
    const { folder, clock, listedEntries } = this.#options
    if (!NAME.test(sha256)) throw new Error('An archive is named by 64 lower-case hex digits')
    // What is being removed must be out of the way.
    await this.#cleaning
    let known = this.#known.get(sha256)
    if (known === undefined) {
      const meta = await this.#unpack(sha256)
      known = {
        root: join(folder, sha256, 'root'),
        ...{ use: diskUse(meta), tree: undefined, usedAt: clock.now(), holders: 0 },
      }
      this.#known.set(sha256, known)
      this.#unsynced.set(known, { ...meta, sha256 })
      this.#syncLater()
      this.#cleaning ??= this.#clean().finally(() => {
        this.#cleaning = undefined
      })
    }
    // Not removed while it is listed, by the time of its use.
    known.usedAt = clock.now()
    known.tree ??= (await listTree(known.root, listedEntries)) ?? { folders: [], files: [], links: [] }
    return known
  }

  async #unpack(sha256: string): Promise<Meta> {
    const { folder, blobs, programBytes, programEntries } = this.#options
    const archive = await blobs.open(sha256)
    if (archive === undefined) throw new Error(`The archive ${sha256} is not stored`)
    const temporary = join(folder, ownName(temporaries++))
    try {
      await mkdir(join(temporary, 'root'), { recursive: true, mode: 0o755 })
      const meta = await unpack(archive, join(temporary, 'root'), {
        bytes: programBytes,
        entries: programEntries,
      })
      await writeFile(join(temporary, 'meta.json'), JSON.stringify({ ...meta, boot: this.#boot }))
      await rename(temporary, join(folder, sha256)).catch(async (error: NodeJS.ErrnoException) => {
        // Another process of the platform was faster.
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      })
      return meta
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
  }

  #syncLater(): void {
    this.#syncing ??= setTimeout(() => {
      void this.#sync().finally(() => {
        this.#syncing = undefined
        if (this.#unsynced.size > 0) this.#syncLater()
      })
    }, this.#options.syncAfterMs ?? SYNC_AFTER_MS).unref()
  }

  /** Has what was unpacked until now outlast a power cut, and remembers that. */
  async #sync(): Promise<void> {
    const { folder, log } = this.#options
    const unsynced = [...this.#unsynced]
    this.#unsynced.clear()
    if (!(await syncFileSystem(folder))) return
    for (const [known, { sha256, bytes, entries }] of unsynced) {
      // It was removed meanwhile, and may have been unpacked again.
      if (this.#known.get(sha256) !== known) continue
      const next = join(folder, sha256, 'meta.next')
      // Another process may read it at any moment.
      await writeFile(next, JSON.stringify({ bytes, entries } satisfies Meta))
        .then(() => rename(next, join(folder, sha256, 'meta.json')))
        .catch((err) =>
          log.warn({ err }, 'a program folder will be unpacked again after the next restart of the machine'),
        )
    }
  }

  async #readMeta(name: string): Promise<(Meta & { usedAt: number }) | undefined> {
    const file = join(this.#options.folder, name, 'meta.json')
    try {
      const { bytes, entries, boot = this.#boot } = JSON.parse(await readFile(file, 'utf8')) as Meta
      return boot === this.#boot ? { bytes, entries, usedAt: (await stat(file)).mtimeMs } : undefined
    } catch {
      return undefined
    }
  }

  async #clean(): Promise<void> {
    for (let sha256 = this.#surplus(); sha256 !== undefined; sha256 = this.#surplus()) {
      this.#known.delete(sha256)
      await this.#remove(await this.#moveAway(sha256))
      this.#options.onRemoved()
    }
  }

  /** What is being removed must not be found. */
  async #moveAway(name: string): Promise<string | undefined> {
    const away = join(this.#options.folder, ownName(temporaries++))
    return rename(join(this.#options.folder, name), away).then(
      () => away,
      (err) => void this.#options.log.warn({ err }, 'a program folder could not be removed'),
    )
  }

  async #remove(away: string | undefined): Promise<void> {
    if (away !== undefined)
      await rm(away, { recursive: true, force: true }).catch((err) =>
        this.#options.log.warn({ err }, 'a program folder could not be removed'),
      )
  }

  /** The one to remove next, if any has to be. */
  #surplus(): string | undefined {
    let use = 0
    let oldest: { readonly sha256: string; readonly usedAt: number } | undefined
    for (const [sha256, known] of this.#known) {
      use += known.use
      const { holders, usedAt } = known
      if (holders > 0 || this.#opening.has(sha256) || (oldest && oldest.usedAt <= usedAt)) continue
      oldest = { sha256, usedAt }
    }
    return use > this.#options.maxBytes ? oldest?.sha256 : undefined
  }
}
