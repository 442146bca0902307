import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, getCompileCacheDir } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

interface Loaded {
  readonly exports: unknown
  /** Keeps what was compiled until now for the next process that is the same, unless it was there already. */
  keep(): void
}

/**
 * Loads a CommonJS file of ASCII with the code that the engine made of it at an earlier start. Node's own cache has only what
 * is compiled when a file is loaded; of a server, that is a tenth of the functions that a start runs. This one is written
 * when the start is over, so it has all of them. Processes that run different parts of the file go by different names.
 * The file cannot `import`, which Node offers to such code only as an experiment.
 */
export function loadCompiled(file: string, name: string): Loaded {
  const bytes = readFileSync(file)
  // Of a string the sum would be made of another copy of its eight megabytes.
  const sum = crc32(bytes)
  const source = bytes.toString('latin1')
  const kept = `${basename(file)}-${name}-${cachedDataVersionTag().toString(16)}`
  // Whoever may write beside the file may as well write the file itself. Others have a folder of their own.
  const folders = [dirname(file), getCompileCacheDir()].filter((folder) => folder !== undefined)
  const cachedData = firstOf(folders, (folder) => readKept(join(folder, kept), sum))
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
  })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  const isKept = cachedData !== undefined && script.cachedDataRejected === false
  return {
    exports: module.exports,
    // Must not name the data itself: its four megabytes would stay for as long as the process.
    keep() {
      if (isKept) return
      const data = script.createCachedData()
      firstOf(folders, (folder) => writeKept(join(folder, kept), sum, data))
    },
  }
}

function firstOf<T>(folders: readonly string[], take: (folder: string) => T | undefined): T | undefined {
  for (const folder of folders) {
    const taken = take(folder)
    if (taken !== undefined) return taken
  }
  return undefined
}

/** Two sums come before the code: the engine itself looks only at the length of the source, and believes the code. */
const HEAD = 8

function readKept(path: string, sum: number): Buffer | undefined {
  try {
    const content = readFileSync(path)
    const data = content.subarray(HEAD)
    return content.readUInt32LE(0) === sum && content.readUInt32LE(4) === crc32(data) ? data : undefined
  } catch {
    return undefined
  }
}

/** Made aside and put in place whole. A folder that cannot be written to is left alone. */
function writeKept(path: string, sum: number, data: Buffer): true | undefined {
  const head = Buffer.alloc(HEAD)
  head.writeUInt32LE(sum, 0)
  head.writeUInt32LE(crc32(data), 4)
  const aside = `${path}.${process.pid}`
  try {
    writeFileSync(aside, Buffer.concat([head, data]))
    renameSync(aside, path)
    return true
  } catch {
    rmSync(aside, { force: true })
    return undefined
  }
}
