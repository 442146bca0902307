import { constants, copyFileSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeArchive } from './archive.ts'
import { PackFault } from './fault.ts'
import type { PackLimits } from './job.ts'
import type { TreeEntry, TreeFile } from './tree.ts'

const MAX_NOTES = 50
const MAX_NOTE = 500

/** Contents for the host to take, as numbered files of one folder. */
export class Results {
  readonly #folder: string
  readonly #limits: PackLimits
  readonly #sizes: number[] = []
  readonly #notes: string[] = []
  #bytes = 0

  constructor(folder: string, limits: PackLimits) {
    this.#folder = folder
    this.#limits = limits
  }

  get contents(): readonly number[] {
    return this.#sizes
  }

  get notes(): readonly string[] {
    return this.#notes
  }

  readonly note = (text: string): void => {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(text.slice(0, MAX_NOTE))
  }

  /** The number of the content. */
  addFile({ source, size }: TreeFile): number {
    const number = this.#next(size)
    const to = this.#path(number)
    if (typeof source === 'string') copyFileSync(source, to, constants.COPYFILE_FICLONE)
    else writeFileSync(to, source, { flag: 'wx' })
    return number
  }

  async addArchive(entries: ReadonlyMap<string, TreeEntry>): Promise<number> {
    const number = this.#next(0)
    await writeArchive(this.#path(number), entries)
    const { size } = await stat(this.#path(number))
    this.#count(size)
    this.#sizes[number] = size
    return number
  }

  #next(size: number): number {
    this.#count(size)
    return this.#sizes.push(size) - 1
  }

  #count(size: number): void {
    this.#bytes += size
    if (this.#bytes > this.#limits.totalBytes)
      throw new PackFault('too_large', `The output has more than ${this.#limits.totalBytes} bytes`)
  }

  #path(number: number): string {
    return join(this.#folder, String(number))
  }
}
