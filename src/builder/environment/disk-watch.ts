import { statfs } from 'node:fs/promises'
import { showLimit } from '#contract/amounts.ts'
import { treeBytes, treeFiles } from './remove-tree.ts'

export interface DiskLimits {
  /** What a build's files may take together. */
  readonly diskBytes: number
  /** How many they may be: empty ones take no space, but a disk has room for only so many. */
  readonly diskFiles: number
  /** What must stay free on the disk for everybody else. */
  readonly freeBytes: number
}

interface DiskWatch {
  stop(): void
}

const LOOK_MS = 500
/** A tree is counted at most this often, and seldom enough that counting takes little of the machine. */
const COUNT_MS = 15_000
const SHARE_OF_COUNTING = 20
/** Files that must stay possible, on file systems that number them. */
const FREE_FILES = 10_000

/** Folders are opened to be counted; a build that closes them again each time is not to be counted at all. */
const ATTEMPTS = 3

/** What a folder was found to have, and the disk at that moment. */
interface DiskCount {
  readonly bytes: number
  readonly files: number
  readonly free: number
  readonly ffree: number
  readonly at: number
  readonly tookMs: number
}

/** How much a tree takes; undefined where that cannot be told now. */
interface Count {
  readonly bytes: (path: string, signal: AbortSignal) => Promise<number | undefined>
  readonly files: (path: string, signal: AbortSignal) => Promise<number | undefined>
}

const TREE: Count = { bytes: treeBytes, files: treeFiles }

/**
 * Looks at a folder while others write in it, and calls `over` once when it takes too much. There are no quotas to
 * rely on, so the disk's free space is looked at often, which costs nothing, and the folder itself is counted when
 * that has fallen by enough to matter.
 *
 * A folder is watched for as long as a command runs in it, and what it had when it was counted last holds for the next
 * command: to count a tree of packages takes two programs and may take as long as the command.
 */
export class DiskWatcher {
  readonly #folder: string
  readonly #limits: DiskLimits
  readonly #tree: Count
  #counted: DiskCount | undefined

  constructor(folder: string, limits: DiskLimits, tree: Count = TREE) {
    this.#folder = folder
    this.#limits = limits
    this.#tree = tree
  }

  watch(over: (why: string) => void): DiskWatch {
    const ended = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const again = async (): Promise<void> => {
      // A folder that cannot be looked at is no reason to end a build.
      const why = await this.#look(ended.signal).catch(() => undefined)
      if (ended.signal.aborted) return
      if (why !== undefined) {
        ended.abort()
        over(why)
        return
      }
      timer = setTimeout(() => void again(), LOOK_MS)
      timer.unref()
    }
    void again()
    return {
      stop() {
        ended.abort()
        clearTimeout(timer)
      },
    }
  }

  async #look(signal: AbortSignal): Promise<string | undefined> {
    const limits = this.#limits
    const counted = this.#counted
    const { bavail, bsize, files, ffree } = await statfs(this.#folder)
    const free = bavail * bsize
    if (free < limits.freeBytes)
      return `The disk of this machine is full: ${showLimit(free)} are free, and ${showLimit(limits.freeBytes)} are reserved`
    if (files > 0 && ffree < FREE_FILES)
      return `The disk of this machine is full: it has room for ${ffree} more files, and ${FREE_FILES} are reserved`
    const fallen = counted === undefined ? 0 : counted.free - free
    const room = limits.diskBytes - (counted?.bytes ?? 0)
    const more = counted === undefined ? 0 : counted.ffree - ffree
    const roomForFiles = limits.diskFiles - (counted?.files ?? 0)
    const due =
      counted === undefined ||
      fallen > room / 2 ||
      more > roomForFiles / 2 ||
      performance.now() - counted.at > Math.max(COUNT_MS, counted.tookMs * SHARE_OF_COUNTING)
    if (!due) return undefined
    const now = await this.#count(free, ffree, signal)
    if (now === undefined) return 'The files of the build cannot be counted'
    const { bytes, files: made } = now
    if (made > limits.diskFiles)
      return `The build has created more than ${limits.diskFiles.toLocaleString('en')} files`
    if (bytes <= limits.diskBytes) return undefined
    return `The build uses more than ${showLimit(limits.diskBytes)} of disk space`
  }

  async #count(free: number, ffree: number, signal: AbortSignal): Promise<DiskCount | undefined> {
    const began = performance.now()
    const bytes = await attempt(() => this.#tree.bytes(this.#folder, signal), signal)
    const files = await attempt(() => this.#tree.files(this.#folder, signal), signal)
    // Of a count that was ended in its midst the next command knows nothing.
    if (signal.aborted) return this.#counted
    if (bytes === undefined || files === undefined) return undefined
    const at = performance.now()
    this.#counted = { bytes, files, free, ffree, at, tookMs: at - began }
    return this.#counted
  }
}

async function attempt(
  count: () => Promise<number | undefined>,
  signal: AbortSignal,
): Promise<number | undefined> {
  for (let left = ATTEMPTS; ; left--) {
    const counted = await count()
    if (counted !== undefined || left === 1 || signal.aborted) return counted
  }
}
