import type { RawBody } from '../client.ts'

/** A file to deploy, wherever its content is. */
export interface SourceFile {
  /** From the folder, with slashes. */
  readonly path: string
  readonly size: number
  readonly mode: number
  /** The SHA-1 of what it holds now, and the size of that should it have changed since it was found. */
  hash(signal?: AbortSignal): Promise<{ readonly sha: string; readonly size: number }>
  /** What it holds, to be sent. */
  open(count: (bytes: number) => void): Promise<OpenFile>
}

interface OpenFile {
  readonly body: RawBody
  /** Why it could not be read on, if so. */
  broken?(): unknown
  close?(): void
}

export interface HashedFile extends SourceFile {
  readonly sha: string
}
