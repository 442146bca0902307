import { DeployError } from './deploy-error.ts'
import { sha1 } from './sha1.ts'
import type { SourceFile } from './source-file.ts'

/** A file that a page or a program holds, or can read at once: `size` bytes under a path. */
export interface MemoryFile {
  /** From the top of what is deployed, with slashes. */
  readonly path: string
  readonly size: number
  /** Of a regular file; readable by everybody unless said. */
  readonly mode?: number
  /** What it holds. Asked for when it is needed, and twice if it has to be sent. */
  bytes(): Promise<Uint8Array> | Uint8Array
}

const REGULAR = 0o100644

export const memoryFile = (file: MemoryFile): SourceFile => {
  const read = async () => {
    try {
      return await file.bytes()
    } catch (error) {
      throw new DeployError('unreadable', `${file.path} cannot be read: ${(error as Error).message}.`, {
        cause: error,
      })
    }
  }
  return {
    path: file.path,
    size: file.size,
    mode: file.mode ?? REGULAR,
    async hash(signal) {
      const bytes = await read()
      signal?.throwIfAborted()
      return { sha: await sha1(bytes), size: bytes.length }
    },
    open: async () => ({ body: await read() }),
  }
}
