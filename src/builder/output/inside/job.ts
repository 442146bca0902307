/**
 * What the packing script is asked to do and what it answers. The script runs in a sandbox, beside files that the
 * code of users wrote: its answer is no more to be trusted than they are.
 */

/** In the folder of results: the order, written before the script starts, and its answer. */
export const JOB_FILE = 'job.json'
export const INDEX_FILE = 'index.json'

export interface Job {
  readonly task: Task
  readonly limits: PackLimits
}

export type Task = BuildOutputTask | FunctionsTask | StaticTask | AppTask | MiddlewareTask

/** Reads a folder in the form of the Build Output API, version 3. */
export interface BuildOutputTask {
  readonly kind: 'build-output'
  /** Relative to the workspace, such as `.vercel/output`. */
  readonly folder: string
  /** Where there is none, the index says so and it is no failure. */
  readonly optional: boolean
}

export interface FunctionsTask {
  readonly kind: 'functions'
  /** Relative to the workspace; empty for the workspace itself. Files and globs are relative to it. */
  readonly root: string
  readonly functions: readonly FunctionSource[]
  /** Folders below the root with packages of Python code, which are for the code beside and below each. */
  readonly packages: readonly string[]
}

export interface FunctionSource {
  /** Such as `api/hello.ts`. */
  readonly file: string
  /** What it answers at, such as `api/hello`. */
  readonly paths: readonly string[]
  readonly runtime: 'node' | 'bun' | 'python'
  /** Such as `22.x` or `3.11`. */
  readonly version: string
  readonly memoryMb: number
  readonly maxDuration: number
  /** Globs of files that the code needs besides those that are found to be. */
  readonly includeFiles?: readonly string[]
  readonly excludeFiles?: readonly string[]
}

export interface StaticTask {
  readonly kind: 'static'
  /** Relative to the workspace; the first that has files is taken. */
  readonly folders: readonly string[]
  /** Where there is none, the index says so and it is no failure. */
  readonly optional: boolean
  /** Under which the files are served, without slashes around it; empty for the root. */
  readonly prefix: string
  /** Globs, relative to the folder, of what is left out. */
  readonly exclude: readonly string[]
}

export interface AppTask {
  readonly kind: 'app'
  readonly root: string
  /** What the program answers at. */
  readonly paths: readonly string[]
  readonly version: string
  readonly memoryMb: number
  readonly maxDuration: number
  readonly runtime: 'node' | 'bun' | 'python'
  readonly env: Readonly<Record<string, string>>
  /** The files to load, of which the first that exists is taken, or what to run. */
  readonly start: { readonly entries: readonly string[] } | { readonly command: readonly string[] }
}

/** A program that is asked before anything is served. */
export interface MiddlewareTask {
  readonly kind: 'middleware'
  /** Relative to the workspace, such as `middleware.ts`. */
  readonly file: string
  /** Of Node, where it is written for that. */
  readonly version: string
  readonly memoryMb: number
  readonly maxDuration: number
}

export interface PackLimits {
  /** Files that are served. */
  readonly files: number
  readonly functions: number
  /** Files of one program. */
  readonly programFiles: number
  readonly programBytes: number
  /** Of everything together. */
  readonly totalBytes: number
  /** Folders within each other. */
  readonly depth: number
}

/** Contents are numbers: the names of files beside the index. */
export interface Index {
  /** There was nothing to pack, where the task has it that there may be none. */
  readonly absent?: true
  /** The size of each content, by its number. */
  readonly contents: readonly number[]
  readonly routes?: readonly unknown[]
  /** The site asks for its images in sizes of its choice: which, as the build has written it. */
  readonly images?: Readonly<Record<string, unknown>>
  /** As the build has written them. */
  readonly crons?: readonly unknown[]
  readonly files: readonly IndexFile[]
  readonly functions: readonly IndexFunction[]
  readonly programs: readonly IndexProgram[]
  /** For the owner of the deployment. */
  readonly notes: readonly string[]
}

/** In the place of an index where there cannot be one. */
export interface IndexFault {
  readonly fault: { readonly code: string; readonly message: string }
}

export interface IndexFile {
  readonly path: string
  readonly content: number
  /** The name that it had, where that is not the end of its path, and what it is has to be told by it. */
  readonly name?: string
  readonly contentType?: string
}

export interface IndexFunction {
  readonly path: string
  /** Its place among the programs. */
  readonly program: number
  readonly prerender?: IndexPrerender
}

export interface IndexPrerender {
  readonly expiration: number | false
  readonly group?: number
  readonly bypassToken?: string
  readonly fallback?: { readonly content: number; readonly contentType?: string }
  readonly initialStatus?: number
  readonly initialHeaders?: Readonly<Record<string, string>>
  readonly allowQuery?: readonly string[]
  readonly chain?: { readonly path: string; readonly headers: Readonly<Record<string, string>> }
  readonly passQuery: boolean
}

export interface IndexProgram {
  readonly runtime: 'node' | 'bun' | 'python'
  readonly version: string
  readonly shape: 'handler' | 'web' | 'edge' | 'command'
  readonly entry: string
  readonly command?: readonly string[]
  readonly archive: number
  readonly fileCount: number
  readonly memoryMb: number
  readonly maxDuration: number
  readonly env: Readonly<Record<string, string>>
}
