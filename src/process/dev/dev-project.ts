import { join } from 'node:path'
import type { Collection } from '#builder/output/collect.ts'
import { DAY, SECOND } from '#contract/time.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import type { ManifestFile } from '#core/deployment/file/manifest.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import type { Site, SiteFunction } from '#core/site/site.ts'
import { DEV_SERVER, type DevPlan, planFolder } from './dev-plan.ts'
import type { CollectFiles, FolderContents } from './folder-contents.ts'
import type { Changes } from './programs.ts'
import type { FolderWatch } from './watch-folder.ts'

interface DevProjectParts {
  readonly folder: string
  readonly collect: CollectFiles
  readonly contents: FolderContents
  readonly collection: Collection
  readonly watch: (onChange: () => void) => FolderWatch
  readonly deployment: () => Deployment
  readonly directoryListing: boolean
  /** After every look at the folder that found something new, before anybody is answered. */
  readonly onSnapshot: (look: ProjectSnapshot) => Promise<void> | void
  /** Some time after the last of several changes. */
  readonly onQuiet: () => void
}

/** What was found. */
export interface ProjectSnapshot {
  readonly plan: DevPlan | undefined
  /** Why there is no plan. */
  readonly failure: string | undefined
  readonly changes: Changes
}

const QUIET_MS = 120
/** A development server takes as long as it takes. */
const DEV_SERVER_SECONDS = DAY / SECOND
const NOTHING: Changes = { written: new Set(), moved: false }

/** The folder as it is served: looked at anew by the first request after a change. */
export class DevProject {
  readonly #parts: DevProjectParts
  readonly #watch: FolderWatch
  #stale = true
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #known: ReadonlyMap<string, string> | undefined
  #site: Omit<Site, 'host'> | undefined
  failure: string | undefined

  constructor(parts: DevProjectParts) {
    this.#parts = parts
    this.#watch = parts.watch(() => this.#changed())
  }

  siteAt(host: string): Site | undefined {
    return this.#site && { ...this.#site, host }
  }

  /** Resolves once what is served is what is on the disk, as far as has been told by now. */
  async fresh(): Promise<void> {
    // What was written before a request came is told in the same turn of the loop as the request.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#stale || this.#looking) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined
      })
      await this.#looking
      if (!this.#watch.sees) return
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#watch.close()
  }

  #changed(): void {
    this.#stale = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#parts.onQuiet(), QUIET_MS)
  }

  async #look(): Promise<void> {
    const { folder, collect, contents, onSnapshot } = this.#parts
    this.#stale = !this.#watch.sees
    contents.begin()
    let files: readonly ManifestFile[] = []
    let plan: DevPlan | undefined
    let failure: string | undefined
    try {
      const found = await collect(folder)
      files = await contents.manifest(found)
      const isNew = this.#watch.follow(found.map(({ source }) => source))
      // Between the look and the beginning of the watch something may have happened.
      if (isNew) this.#stale = true
      plan = await this.#plan(files)
    } catch (error) {
      if (!isTheirs(error)) throw error
      failure = error.message
    }
    const changes = this.#compare(files)
    this.failure = failure
    if (plan) this.#site = this.#siteOf(plan)
    await onSnapshot({ plan, failure, changes })
  }

  #plan(files: readonly ManifestFile[]): Promise<DevPlan> {
    const { folder, collect, contents, collection, deployment } = this.#parts
    return planFolder(files, {
      ...{ folder, collection, deployment: deployment() },
      read: ({ sha256 }) => contents.read(sha256),
      // Where there is none, or it is empty, there is nothing to show.
      builtFiles: async (built) => contents.manifest(await collect(join(folder, built)).catch(() => [])),
    })
  }

  #compare(files: readonly ManifestFile[]): Changes {
    const before = this.#known
    const now = new Map(files.map(({ path, sha256 }) => [path, sha256]))
    this.#known = now
    if (before === undefined) return NOTHING
    const written = new Set(
      [...now].filter(([path, name]) => before.get(path) !== name).map(([path]) => path),
    )
    const moved = now.size !== before.size || [...now.keys()].some((path) => !before.has(path))
    return { written, moved }
  }

  #siteOf({ files, sources, command, routes, routesFrom }: DevPlan): Omit<Site, 'host'> {
    const functions = new Map<string, SiteFunction>()
    if (command)
      functions.set('index', {
        ...{ path: 'index', program: DEV_SERVER, shape: 'command', maxDuration: DEV_SERVER_SECONDS },
      })
    for (const { id, paths, maxDuration, prerenders } of sources)
      for (const path of paths) {
        const prerender = prerenders?.get(path)
        functions.set(path, {
          ...{ path, program: id, shape: 'handler', maxDuration },
          ...(prerender === undefined ? {} : { prerender }),
        })
      }
    return {
      ...{ deploymentId: 'dpl_dev', projectId: 'prj_dev', ownerId: 'dev' },
      ...{ environment: 'preview', status: 'ready', sessionAffinity: 'random' },
      ...{ functions, routes, routesFrom, directoryListing: this.#parts.directoryListing },
      files: new Map(
        files.map(({ path, sha256, size, contentType }) => [
          path,
          { sha256, size, ...(contentType === undefined ? {} : { contentType }) },
        ]),
      ),
    }
  }
}

/** Faults of the folder, not of ours: they come with a message for the person. */
const isTheirs = (error: unknown): error is Error =>
  error instanceof BuildFailure ||
  (error instanceof Error && ['DeployError', 'AloftError'].includes(error.name))
