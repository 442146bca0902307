import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { extract } from 'tar-stream'
import type { Collection } from '#builder/output/collect.ts'
import { sourcesOf } from '#builder/output/inside/function/compile.ts'
import { joined } from '#core/detection/source-tree.ts'
import type { Program } from '#core/output/output.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import type { WorkspacePlace } from './pack-in-workspace.ts'
import type { SourceProgram } from './source-program.ts'

/** One state of a program's source, compiled and with the variables of that moment. */
export interface Version {
  /** A deployment of its own, so that it ends without the others. */
  readonly deploymentId: string
  readonly source: SourceProgram
  readonly program: Program
  /** Requests under way. */
  leases: number
  isOld: boolean
}

interface ProgramsParts {
  readonly collection: Collection
  readonly contents: Pick<BlobStore, 'open'>
  readonly place: WorkspacePlace
  readonly onBuilt: (source: SourceProgram, ms: number) => void
  readonly onFailed: (source: SourceProgram, failure: BuildFailure) => void
  /** Nothing asks for it any more. */
  readonly onOld: (version: Version) => void
}

/** What changed in the folder since the look before. */
export interface Changes {
  /** Files that were written. */
  readonly written: ReadonlySet<string>
  /** Files came or went: what imports lead to may be another file now. */
  readonly moved: boolean
}

interface State {
  source: SourceProgram
  version: Version | undefined
  failure: BuildFailure | undefined
  failedAt: number
  /** The files it was made of, as the packed program names them. */
  parts: ReadonlySet<string>
  /** Files of other packages that it was made of, which nobody watches, with what tells that they are the same. */
  outside: ReadonlyMap<string, string>
  /** Goes up with every change that may matter. */
  wanted: number
  built: number
  building: Promise<void> | undefined
}

const RETRY_MS = 1000

/** Compiles programs when they are asked for, and again when what they are made of has changed. */
export class Programs {
  readonly #parts: ProgramsParts
  #states = new Map<string, State>()
  /** Until their last request is over. */
  readonly #known = new Map<string, Version>()
  #versions = 0

  constructor(parts: ProgramsParts) {
    this.#parts = parts
  }

  /** These are the programs from now on; what was compiled of those that are unchanged is kept. */
  update(sources: readonly SourceProgram[], changes: Changes): void {
    const before = this.#states
    this.#states = new Map(
      sources.map((source) => [source.id, this.#next(before.get(source.id), source, changes)]),
    )
    for (const [id, { version }] of before) if (!this.#states.has(id) && version) this.#retire(version)
  }

  /** All start anew, with other variables. */
  restart(): void {
    for (const state of this.#states.values()) {
      const { version } = state
      if (version === undefined) continue
      state.version = this.#versionOf(state.source, version.program)
      this.#retire(version)
    }
  }

  /** Compiles again what was compiled before and has changed, so that its faults are told of at once. */
  async refresh(): Promise<void> {
    for (const [id, { built, wanted }] of this.#states)
      if (built > 0 && built < wanted) await this.ensure(id).catch(() => {})
  }

  /** The program as its source is now. Rejects with a `BuildFailure` where it cannot be compiled. */
  async ensure(id: string): Promise<Version> {
    for (;;) {
      const state = this.#states.get(id)
      if (state === undefined) throw new BuildFailure('missing_function', 'It no longer exists.')
      if (state.built >= state.wanted && (await this.#isStill(state))) {
        if (state.failure) throw state.failure
        return state.version as Version
      }
      if (state.built >= state.wanted) state.wanted = state.built + 1
      state.building ??= this.#build(state).finally(() => {
        state.building = undefined
      })
      await state.building
    }
  }

  /** What failed may do so by a file of another package that nobody watches, and of which nobody knows. */
  async #isStill({ failure, failedAt, outside }: State): Promise<boolean> {
    const isDue = performance.now() - failedAt >= RETRY_MS
    if (failure && this.#parts.place.below !== '' && isDue) return false
    return areSame(outside)
  }

  /** One that is in use. */
  find(deploymentId: string): Version | undefined {
    return this.#known.get(deploymentId)
  }

  /** A request is over. */
  release(version: Version): void {
    version.leases--
    if (version.isOld) this.#retire(version)
  }

  #next(known: State | undefined, source: SourceProgram, changes: Changes): State {
    if (known === undefined)
      return {
        ...{ source, version: undefined, failure: undefined, failedAt: 0, building: undefined },
        ...{ parts: new Set<string>(), outside: new Map<string, string>(), wanted: 1, built: 0 },
      }
    known.source = source
    // Of what is being compiled nobody knows yet what it is made of.
    if (known.building !== undefined || affects(changes, known)) known.wanted++
    return known
  }

  async #build(state: State): Promise<void> {
    const { collection, onBuilt, onFailed } = this.#parts
    const { source, wanted } = state
    const began = performance.now()
    const outside = await statesOf(state.outside.keys())
    try {
      const { programs } = await source.pack(collection)
      const program = programs[0] as Program
      const made = await this.#partsOf(program, source)
      state.parts = made.parts
      state.outside = made.outside
      state.failure = undefined
      if (state.version?.program.id !== program.id) {
        const old = state.version
        state.version = this.#versionOf(source, program)
        if (old) this.#retire(old)
        onBuilt(source, performance.now() - began)
      }
    } catch (error) {
      const failure =
        error instanceof BuildFailure ? error : new BuildFailure('pack_failed', (error as Error).message)
      state.failure = failure
      state.failedAt = performance.now()
      state.outside = outside
      // What it was before is not what the person wrote.
      if (state.version) this.#retire(state.version)
      state.version = undefined
      onFailed(source, failure)
    }
    state.built = wanted
  }

  #versionOf(source: SourceProgram, program: Program): Version {
    const deploymentId = `dev-${++this.#versions}`
    const version: Version = { deploymentId, source, program, leases: 0, isOld: false }
    this.#known.set(deploymentId, version)
    return version
  }

  #retire(version: Version): void {
    version.isOld = true
    if (version.leases > 0) return
    this.#known.delete(version.deploymentId)
    this.#parts.onOld(version)
  }

  async #partsOf({ archive }: Program, { root }: SourceProgram): Promise<Pick<State, 'parts' | 'outside'>> {
    const { contents, place } = this.#parts
    const parts = new Set<string>()
    const outside = new Map<string, string>()
    const packed = await contents.open(archive.sha256)
    if (packed === undefined) return { parts, outside }
    for await (const entry of packed.pipe(extract())) {
      const { name } = entry.header
      entry.resume()
      if (name.includes('node_modules/')) continue
      for (const path of [name, ...sourcesOf(name)]) {
        parts.add(path).add(joined(root, path))
        if (place.below === '') continue
        if (path.startsWith(`${place.below}/`)) parts.add(path.slice(place.below.length + 1))
        else {
          const found = await stateOf(join(place.top, path))
          if (found !== '') outside.set(join(place.top, path), found)
        }
      }
    }
    return { parts, outside }
  }
}

/** Changes with every edit; empty where there is no file. */
const stateOf = (path: string): Promise<string> =>
  stat(path).then(
    (found) => (found.isFile() ? `${found.size} ${found.mtimeMs}` : ''),
    () => '',
  )

async function statesOf(paths: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>()
  for (const path of paths) states.set(path, await stateOf(path))
  return states
}

async function areSame(files: ReadonlyMap<string, string>): Promise<boolean> {
  for (const [path, before] of files) if ((await stateOf(path)) !== before) return false
  return true
}

/** Some imports leave no trace in what was packed: of data that went into the code, and of what is one file then. */
const UNSEEN: ReadonlySet<string> = new Set(['.json', '.wasm'])

function affects({ written, moved }: Changes, { parts, failure, version }: State): boolean {
  if (moved || ((failure || version?.program.shape === 'edge') && written.size > 0)) return true
  return [...written].some((path) => parts.has(path) || UNSEEN.has(extname(path)))
}
