import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { DAY, MINUTE } from '#contract/time.ts'
import { branchOf, isFromFork } from '#core/deployment/branch.ts'
import { joinCertificates } from '#core/outbound/join-certificates.ts'
import { trusting } from '#core/outbound/trusting.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { BuildTask } from '#core/ports/builder.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import { BuildWorkspace } from './build-workspace.ts'
import { createProjectCaches, NOTHING_CACHED, type SharedCaches } from './cache/project-caches.ts'
import { createCommandLog } from './command/command-log.ts'
import { CA_INSIDE, DEFAULT_ENV, FIXED_ENV, writeHome } from './command/default-variables.ts'
import { createRedactor } from './command/redact.ts'
import { openTree, removeTree } from './remove-tree.ts'
import { writeSource } from './source-files.ts'
import type { Registry } from './toolchain/registry.ts'
import { type BuildEnvironment, INSIDE } from './workspace.ts'

export interface BuildEnvironmentLimits {
  readonly memoryBytes: number
  readonly cpus: number
  readonly processes: number
  /** Of a whole build. */
  readonly wallMs: number
  /** Of /tmp, which takes memory; TMPDIR is on the disk. */
  readonly tmpBytes: number
  /** What a build's files may take together. */
  readonly diskBytes: number
  readonly diskFiles: number
  /** What must stay free on the disk for everybody else. */
  readonly freeBytes: number
  readonly logLines: number
  readonly logBytes: number
  /** What all projects' caches may take together. */
  readonly cacheBytes: number
}

const MB = 2 ** 20
const GB = 2 ** 30

export const DEFAULT_LIMITS: BuildEnvironmentLimits = {
  memoryBytes: 2 * GB,
  // What is left keeps the sites fast.
  cpus: Math.max(0.5, availableParallelism() - 0.5),
  processes: 2048,
  wallMs: 45 * MINUTE,
  tmpBytes: 256 * MB,
  diskBytes: 8 * GB,
  diskFiles: 2_000_000,
  freeBytes: GB,
  logLines: 50_000,
  logBytes: 8 * MB,
  cacheBytes: 20 * GB,
}

interface BuildEnvironmentParts {
  /** Holds workspaces, caches and what is being removed; one file system, of the platform alone. */
  readonly folder: string
  /** Tells build environments in the same folder apart: two may have the same deployment in hand for a moment. */
  readonly seat?: number
  readonly sandbox: Sandbox
  readonly blobs: Pick<BlobStore, 'read' | 'open'>
  readonly registry: () => Promise<Registry>
  /** A file of certificates: all the authorities that builds trust. Those of the machine where it is left out. */
  readonly authorities?: string
  /** Variables of this machine's own, which every deployment's go before. */
  readonly env?: Readonly<Record<string, string>>
  readonly sharedCaches?: SharedCaches | undefined
  /** Another one each time that the machine has started. */
  readonly boot?: string
  readonly clock: Clock
  readonly log: Log
  readonly limits?: Partial<BuildEnvironmentLimits>
}

const ID = /^[A-Za-z0-9_-]{1,64}$/
/** Longer than any build: what is older was left by a process that died. */
const ABANDONED_MS = DAY

export function createBuildEnvironment(parts: BuildEnvironmentParts): BuildEnvironment {
  const { sandbox, blobs, clock, log } = parts
  const limits = { ...DEFAULT_LIMITS, ...parts.limits }
  const workspaces = join(parts.folder, parts.seat ? `workspaces-${parts.seat}` : 'workspaces')
  const trash = join(parts.folder, 'trash')
  const open = new Set<BuildWorkspace>()
  const background = new Set<Promise<unknown>>()
  let thrown = 0

  const later = (work: Promise<unknown>, what: string) => {
    const done = work.catch((error) => log.warn({ err: error }, what)).finally(() => background.delete(done))
    background.add(done)
  }

  /** Takes a folder away at once and removes it some time. */
  async function discard(path: string): Promise<void> {
    const target = join(trash, `${process.pid}-${thrown++}-${basename(path)}`)
    await mkdir(trash, { recursive: true, mode: 0o700 })
    try {
      await rename(path, target)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      return removeTree(path)
    }
    later(removeTree(target), 'files of a build could not be removed')
  }

  const caches = createProjectCaches({
    folder: join(parts.folder, 'caches'),
    budgetBytes: limits.cacheBytes,
    // It is part of what the next build may take.
    projectBytes: limits.diskBytes / 2,
    log,
    discard,
    shared: parts.sharedCaches,
    ...(parts.boot === undefined ? {} : { boot: parts.boot }),
    later,
  })

  async function sweep(): Promise<void> {
    for (const folder of [workspaces, trash])
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name)
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
        if (Date.now() - mtimeMs > ABANDONED_MS) await removeTree(path)
      }
  }
  later(sweep(), 'files of earlier builds could not be removed')

  /** A copy that every sandbox's user may read. */
  async function certificates(folder: string, { caFile }: Registry): Promise<string | undefined> {
    const files = [parts.authorities, caFile].filter((file) => file !== undefined)
    if (files.length === 0) return undefined
    const copy = join(folder, 'ca.pem')
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    await writeFile(copy, joinCertificates(texts))
    await openTree(copy)
    return copy
  }

  return {
    async open(task: BuildTask, { cache = true } = {}) {
      task.signal.throwIfAborted()
      const { deployment, project } = task
      if (!ID.test(deployment.id)) throw new Error('The id of a deployment cannot be a path')
      const folder = join(workspaces, deployment.id)
      const root = join(folder, 'root')
      const inRoot = (path: string) => path.slice(INSIDE.root.length + 1)
      const place = {
        project,
        target: deployment.target,
        nodeVersion: task.plan.nodeVersion,
        fork: isFromFork(deployment.meta) ? (branchOf(deployment.meta) ?? '') : undefined,
        via: join(folder, 'cache'),
        base: root,
        source: inRoot(INSIDE.source),
        downloads: inRoot(INSIDE.downloads),
      }
      await discard(folder)
      try {
        const registry = await parts.registry()
        await mkdir(root, { recursive: true, mode: 0o755 })
        await writeSource({ ...task, folder: join(root, place.source), blobs })
        await writeHome(join(root, inRoot(INSIDE.home)), registry)
        await mkdir(join(root, inRoot(INSIDE.tmp)))
        const caFile = await certificates(folder, registry)
        const restored = cache ? await caches.restore(place) : NOTHING_CACHED
        const redactor = createRedactor(task.secrets)
        const workspace = new BuildWorkspace({
          ...{ task, folder, sandbox, blobs, clock, caFile, restored, limits, redactor },
          env: {
            ...DEFAULT_ENV,
            ...parts.env,
            ...(caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: CA_INSIDE }),
            ...(parts.authorities === undefined ? {} : trusting(CA_INSIDE)),
            ...task.env,
            ...FIXED_ENV,
          },
          commandLog: createCommandLog(redactor, { lines: limits.logLines, bytes: limits.logBytes }),
          async clear(keeping) {
            open.delete(workspace)
            try {
              if (keeping) await caches.keep(place, keeping)
            } catch (error) {
              log.warn(
                { err: error, deployment: deployment.id },
                'the cache of a project could not be stored',
              )
            }
            await discard(folder)
            later(caches.shrink(), 'caches could not be counted')
          },
        })
        open.add(workspace)
        return workspace
      } catch (error) {
        await discard(folder)
        throw error
      }
    },
    async close() {
      await Promise.allSettled([...open].map((workspace) => workspace.close()))
      while (background.size > 0) await Promise.all(background)
    },
  }
}
