import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { isMissing } from '#adapters/fs/error-code.ts'

/** Tells that something may have changed; what, whoever is told finds out. */
export interface FolderWatch {
  /** Looks at the folders of these files from now on, and no longer at others. True where some are new. */
  follow(files: readonly string[]): boolean
  /** False where the machine cannot watch: then nothing is ever told. */
  readonly sees: boolean
  close(): void
}

/** What tools write all the time and nobody serves. */
const NOISE = /(?:^|[\\/])(?:node_modules|\.[^\\/]+)(?:[\\/]|$)/
const MAX_FOLDERS = 20_000

/** Other systems watch whole trees; Linux watches folders one by one, so only those that matter are. */
export const watchFolder = (root: string, onChange: () => void): FolderWatch =>
  process.platform === 'linux' ? watchEach(root, onChange) : watchTree(root, onChange)

function watchTree(root: string, onChange: () => void): FolderWatch {
  let sees = true
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(root, { recursive: true, persistent: false }, (_event, name) => {
      // `.env` and its like are files at the top.
      if (name === null || !name.includes(sep) || !NOISE.test(name)) onChange()
    })
    watcher.on('error', () => {
      sees = false
    })
  } catch {
    sees = false
  }
  return {
    follow: () => false,
    get sees() {
      return sees
    },
    close: () => watcher?.close(),
  }
}

function watchEach(root: string, onChange: () => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>()
  /** Without files so far, or they would be followed. */
  const empty = new Set<string>()
  let sees = true

  function add(folder: string): void {
    if (watchers.has(folder) || !sees) return
    try {
      if (watchers.size >= MAX_FOLDERS) throw new Error('too many folders')
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name !== null) addEmpty(join(folder, name))
        onChange()
      })
      watcher.on('error', () => remove(folder))
      watchers.set(folder, watcher)
    } catch (error) {
      // One that is gone by now is missed by nobody.
      if (!isMissing(error)) sees = false
    }
  }

  /** A folder that has just been made, and is about to be filled. */
  function addEmpty(path: string): void {
    if (watchers.has(path) || NOISE.test(path.slice(root.length))) return
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return
    empty.add(path)
    add(path)
  }

  function remove(folder: string): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
    empty.delete(folder)
  }

  add(root)
  return {
    follow(files) {
      const wanted = new Set([root])
      for (const file of files)
        for (let folder = dirname(file); !wanted.has(folder); folder = dirname(folder)) {
          wanted.add(folder)
          if (!folder.startsWith(root)) break
        }
      for (const folder of empty)
        if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) wanted.add(folder)
      const fresh = [...wanted].filter((folder) => !watchers.has(folder))
      for (const folder of watchers.keys()) if (!wanted.has(folder)) remove(folder)
      for (const folder of fresh) add(folder)
      return fresh.length > 0
    },
    get sees() {
      return sees
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}
