/**
 * Files that are found by their paths. To put thousands in order takes no longer than to put them into a map, and in order
 * they have to be for their hash.
 */
export class SortedFiles<File extends { readonly path: string }> {
  /** In the order of the request. */
  readonly list: readonly File[]
  /** In the order of their paths, which are all different. */
  readonly sorted: readonly File[]

  constructor(list: readonly File[], sorted: readonly File[]) {
    this.list = list
    this.sorted = sorted
  }

  has(path: string): boolean {
    return this.get(path) !== undefined
  }

  get(path: string): File | undefined {
    let [from, to] = [0, this.sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.sorted[middle] as File).path < path) from = middle + 1
      else to = middle
    }
    const file = this.sorted[from]
    return file?.path === path ? file : undefined
  }

  keys(): readonly string[] {
    return this.list.map(({ path }) => path)
  }

  entries(): readonly (readonly [string, File])[] {
    return this.list.map((file) => [file.path, file])
  }
}
