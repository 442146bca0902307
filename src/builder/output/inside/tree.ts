import { readdirSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute, posix, relative } from 'node:path'
import { PackFault } from './fault.ts'
import type { PackLimits } from './job.ts'
import { type Place, realOf, show, statOf, within } from './place.ts'

export type TreeEntry = TreeFile | TreeLink

export interface TreeFile {
  readonly kind: 'file'
  /** A real path, or the content itself. */
  readonly source: string | Buffer
  readonly size: number
  readonly executable: boolean
}

interface TreeLink {
  readonly kind: 'link'
  /** Where it is on disk. */
  readonly source: string
  /** Relative to the folder of the link, without detours. */
  readonly target: string
}

export interface TreeOptions {
  readonly limits: Pick<PackLimits, 'depth'> & { readonly files: number; readonly bytes: number }
  /** Whether links may stay links where what they point to is in the tree as well. */
  readonly keepLinks: boolean
  /** Links to what is not of the deployment, such as a virtual environment's link to Python itself. */
  readonly outsideLinks: 'refuse' | 'leave-out'
  readonly note: (text: string) => void
}

/** Leaves out, with all below it; the path is relative to the folder that is added. */
export type Skip = (path: string, name: string, folder: string) => boolean

/** Links that lead to folders with links that lead to folders…; more is somebody's joke. */
const MAX_DETOURS = 8

/** The files of a program or of a site, gathered from disk, each under the path that it will have. */
export class Tree {
  readonly #place: Place
  readonly #options: TreeOptions
  readonly #entries = new Map<string, TreeEntry>()
  #bytes = 0

  constructor(place: Place, options: TreeOptions) {
    this.#place = place
    this.#options = options
  }

  has(path: string): boolean {
    return this.#entries.has(path)
  }

  get(path: string): TreeEntry | undefined {
    return this.#entries.get(path)
  }

  /** Content of our own making. */
  addBytes(path: string, bytes: Buffer): void {
    this.#set(path, { kind: 'file', source: bytes, size: bytes.length, executable: false })
  }

  remove(path: string): void {
    this.#drop(path)
  }

  paths(): string[] {
    return [...this.#entries.keys()]
  }

  /** Everything in a folder, whose path is real, at the given path of the tree. */
  addFolder(at: string, folder: string, skip: Skip = () => false): void {
    this.#walk(at, folder, '', skip, 0)
  }

  /** A file or a link; `disk` is its path without links in the folders before it. */
  addPath(path: string, disk: string): void {
    this.#add(path, disk, () => false, 0)
  }

  /** In the order of paths. Call once, when everything is there. */
  finish(): ReadonlyMap<string, TreeEntry> {
    this.#followLinks()
    this.#refuseFilesAsFolders()
    return new Map([...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #walk(at: string, folder: string, way: string, skip: Skip, detours: number): void {
    if (depthOf(at) > this.#options.limits.depth)
      throw new PackFault(
        'too_deep',
        `The folder ${show(at)} is more than ${this.#options.limits.depth} deep`,
      )
    for (const name of readdirSync(folder).sort()) {
      const inner = way === '' ? name : `${way}/${name}`
      if (skip(inner, name, folder)) continue
      const path = at === '' ? name : `${at}/${name}`
      const disk = `${folder}/${name}`
      if (statOf(disk)?.isDirectory()) this.#walk(path, disk, inner, skip, detours)
      else this.#add(path, disk, skip, detours)
    }
  }

  #add(path: string, disk: string, skip: Skip, detours: number): void {
    const stats = statOf(disk)
    if (stats?.isFile()) {
      const executable = (stats.mode & 0o111) !== 0
      this.#set(path, { kind: 'file', source: disk, size: stats.size, executable })
    } else if (stats?.isSymbolicLink()) this.#addLink(path, disk, skip, detours)
    else if (stats !== undefined)
      this.#options.note(`${show(path)} is neither a file nor a folder and was skipped`)
  }

  #addLink(path: string, disk: string, skip: Skip, detours: number): void {
    const target = readlinkSync(disk)
    const lexical = posix.join(posix.dirname(path), target)
    if (this.#options.keepLinks && !isAbsolute(target) && within('/tree', `/tree/${lexical}`))
      this.#set(path, { kind: 'link', source: disk, target: plainTarget(path, lexical) })
    else this.#follow(path, disk, skip, detours)
  }

  /** Puts what a link points to in its place. */
  #follow(path: string, disk: string, skip: Skip, detours: number): void {
    const { note, outsideLinks } = this.#options
    const real = realOf(disk)
    if (real === undefined) note(`${show(path)} links to a missing file and was skipped`)
    else if (!within(this.#place.workspace, real)) {
      if (outsideLinks === 'refuse')
        throw new PackFault('link_leaves_workspace', `${show(path)} links outside of the deployment's files`)
      note(`${show(path)} links outside of the deployment's files and was skipped`)
    } else if (!statOf(real)?.isDirectory()) this.#add(path, real, skip, detours)
    else if (detours >= MAX_DETOURS || within(real, dirname(disk)))
      note(`${show(path)} links to one of its parent folders and was skipped`)
    else this.#walk(path, real, '', skip, detours + 1)
  }

  /** A link stays one only where the tree has what it points to. */
  #followLinks(): void {
    for (let round = 0; round <= MAX_DETOURS; round++) {
      const present = this.#foldersAndEntries()
      const astray = [...this.#entries].filter(
        (pair): pair is [string, TreeLink] =>
          pair[1].kind === 'link' && !present.has(posix.join(posix.dirname(pair[0]), pair[1].target)),
      )
      if (astray.length === 0) return
      for (const [path, link] of astray) {
        this.#drop(path)
        if (round < MAX_DETOURS) this.#follow(path, link.source, () => false, round)
      }
    }
  }

  #foldersAndEntries(): Set<string> {
    const present = new Set(['.'])
    for (const path of this.#entries.keys())
      for (let part = path; part !== '.' && !present.has(part); part = posix.dirname(part)) present.add(part)
    return present
  }

  #refuseFilesAsFolders(): void {
    for (const path of this.#entries.keys())
      for (let part = posix.dirname(path); part !== '.'; part = posix.dirname(part))
        if (this.#entries.has(part))
          throw new PackFault('path_conflict', `${show(part)} is both a file and a folder`)
  }

  #set(path: string, entry: TreeEntry): void {
    this.#drop(path)
    this.#entries.set(path, entry)
    this.#bytes += entry.kind === 'file' ? entry.size : 0
    const { files, bytes } = this.#options.limits
    if (this.#entries.size > files)
      throw new PackFault('too_many_files', `There are more than ${files} files`)
    if (this.#bytes > bytes)
      throw new PackFault('too_large', `The files have more than ${bytes} bytes together`)
  }

  #drop(path: string): void {
    const entry = this.#entries.get(path)
    if (entry?.kind === 'file') this.#bytes -= entry.size
    this.#entries.delete(path)
  }
}

const depthOf = (path: string): number => path.split('/').length

/** Up and then down, never down and up again: so no other link can turn it into a way out. */
const plainTarget = (path: string, lexical: string): string =>
  relative(`/${posix.dirname(path)}`, `/${lexical}`) || '.'
