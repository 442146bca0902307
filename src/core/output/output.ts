import type { RUNTIMES, SHAPES } from '#contract/api/deployment.ts'
import type { CronSpec } from '../cron/cron.ts'
import type { Route } from '../routing/route.ts'
import type { ImageConfig } from './image-config.ts'

/**
 * What a build left behind, in the one format that all serving code knows. It has the parts of the Build Output
 * API (version 3): static files, functions, and the routes between them.
 */
export interface Output {
  /** In order, with their handles; undefined when there are none. */
  readonly routes: readonly Route[] | undefined
  readonly files: readonly OutputFile[]
  readonly functions: readonly OutputFunction[]
  /** What the functions run, each once, however many paths lead to it. */
  readonly programs: readonly Program[]
  /** Absent where there are none, and in outputs of earlier releases. */
  readonly crons?: readonly CronSpec[]
  /** Absent where there are none, and in outputs of earlier releases. */
  readonly images?: ImageConfig
}

/** Content in the blob store, entered in the account's index of files so that it is kept while it is referred to. */
export interface OutputContent {
  readonly sha1: string
  readonly sha256: string
  readonly size: number
}

/** A file that is served as it is. */
export interface OutputFile extends OutputContent {
  /** Decoded, without a leading slash. */
  readonly path: string
  /** Takes precedence over what the extension of the path says. */
  readonly contentType?: string
}

/** A path that a program answers. */
export interface OutputFunction {
  /** Decoded, without a leading slash, such as `api/hello`, `blog/[slug]` or `index`. */
  readonly path: string
  /** The `id` of its program. */
  readonly program: string
  readonly prerender?: Prerender
}

/** Answers of the function that are kept and given to all visitors (incremental static regeneration). */
export interface Prerender {
  /** Seconds for which an answer is fresh; false where it always is. */
  readonly expiration: number | false
  /** Answers with the same number are made anew together. */
  readonly group?: number
  /** A visitor whose `x-prerender-revalidate` header or `__prerender_bypass` cookie has this value bypasses the kept answer. */
  readonly bypassToken?: string
  /** The answer from the build. */
  readonly fallback?: OutputContent & { readonly contentType?: string }
  readonly initialStatus?: number
  readonly initialHeaders?: Readonly<Record<string, string>>
  /** The query parameters that make a different answer: all of them where this is undefined. */
  readonly allowQuery?: readonly string[]
  /** Where the build prerendered only a part of the page: the function that renders the rest, and how it is told to. */
  readonly chain?: { readonly path: string; readonly headers: Readonly<Record<string, string>> }
  /** Whether the function is passed the query. */
  readonly passQuery: boolean
}

export type Runtime = (typeof RUNTIMES)[number]
/** What code in a folder can be run by; an image brings its own. */
export type CodeRuntime = Exclude<Runtime, 'docker'>

/**
 * How a program takes requests.
 * - `handler`: its entry exports `(req, res)` functions, web handlers (`fetch`, `GET`, `POST`, a default function of a
 *   Request), or calls `listen` while it is loaded; the launcher finds out which
 * - `web`: the same, but a function that it exports by default takes a web Request, which cannot be seen from outside
 * - `edge`: its entry exports a web handler `(request, context)` written for an edge runtime
 * - `command`: `command` is run in its folder and listens on `PORT`, or does its work and exits
 */
export type Shape = (typeof SHAPES)[number]

/** Code and the way to run it. Immutable; `id` is a digest of all the rest. */
export interface Program {
  readonly id: string
  readonly runtime: Runtime
  /** Of Node, such as `20.x`; of Bun, `1.x`; of Python, such as `3.11`. */
  readonly version: string
  readonly shape: Shape
  /** The file to load, relative to the root of the archive. Of Python, `file.py` or `file.py:name`. */
  readonly entry: string
  /** Run as it is, never by a shell, where the shape is `command`. */
  readonly command?: readonly string[]
  /** An uncompressed tar of the program's folder. Symbolic links in it stay inside it. */
  readonly archive: OutputContent
  /** How many files the archive holds. */
  readonly fileCount: number
  readonly memoryMb: number
  /** Seconds for one request. */
  readonly maxDuration: number
  /** Variables that those of the deployment overrule. */
  readonly env: Readonly<Record<string, string>>
}

export const DEFAULT_MEMORY_MB = 1024
export const DEFAULT_MAX_DURATION = 60

/** Every content an output refers to. */
export const contentsOf = ({ files, functions, programs }: Output): OutputContent[] => [
  ...files,
  ...functions.flatMap(({ prerender }) => prerender?.fallback ?? []),
  ...programs.map(({ archive }) => archive),
]
