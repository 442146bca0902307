import { createHash } from 'node:crypto'
import type { Build, Deployment } from '../deployment/deployment.ts'
import type { ManifestFile } from '../deployment/file/manifest.ts'
import type { BuildTask } from '../ports/builder.ts'
import { type BuildSettings, DEFAULT_BUILD_SETTINGS, type Project } from '../project/project.ts'
import { detect } from './detect.ts'
import type { Plan } from './plan.ts'
import { type ReadContent, type SourceTree, sourceTree } from './source-tree.ts'

/** Path → content; what is no text is written as JSON. */
export type Files = Readonly<Record<string, unknown>>

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

export function manifestOf(files: Files): {
  readonly files: ManifestFile[]
  readonly read: ReadContent<ManifestFile>
} {
  const contents = new Map<string, Buffer>()
  const manifest = Object.entries(files).map(([path, content]): ManifestFile => {
    const bytes = Buffer.from(textOf(content))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    contents.set(sha256, bytes)
    const sha1 = createHash('sha1').update(bytes).digest('hex')
    return { path, sha1, sha256, size: bytes.length, mode: 0o100644 }
  })
  return { files: manifest, read: async ({ sha256 }) => contents.get(sha256) }
}

export const treeOf = (files: Files): SourceTree<ManifestFile> => {
  const { files: manifest, read } = manifestOf(files)
  return sourceTree(manifest, read)
}

export interface TaskChanges {
  readonly deployment?: Partial<Deployment>
  readonly settings?: Partial<BuildSettings>
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly registryAuthToken?: string
  /** Whether there is a Docker Engine. */
  readonly docker?: boolean
}

export const runOf = (use: string, path: string, config: Build['config'] = {}, id = 'bld_1'): Build => ({
  id,
  use,
  path,
  config,
  readyState: 'INITIALIZING',
  readyStateAt: 0,
})

/** What a request with these `builds` would have been given. */
export const builtBy = (...runs: readonly Build[]): Partial<Deployment> => ({
  builds: runs.map(({ use, path, config }) => ({ use, src: path, config })),
  buildRuns: runs,
})

const NO_PLAN: Plan = {
  ...{ root: '', nodeVersion: '24.x', ignoreCommand: null, routes: undefined, cleanUrls: false },
  ...{
    bunVersion: undefined,
    functions: [],
    crons: [],
    regions: undefined,
    images: undefined,
    buildEnv: {},
    envPrefix: undefined,
    programEnv: {},
  },
  ...{ hidden: () => false, notes: [], warnings: [], middleware: undefined, stages: [] },
}

/** A task of which nothing was found out yet. */
function taskOf(files: readonly ManifestFile[], changes: TaskChanges = {}): BuildTask {
  const deployment: Deployment = {
    id: 'dpl_1',
    ownerId: 'usr_1',
    projectId: 'prj_1',
    creatorId: 'usr_1',
    name: 'site',
    host: 'site-abc.example.test',
    state: 'ANALYZING',
    stateAt: 0,
    createdAt: 0,
    readyAt: null,
    createdIn: 'iad1',
    regions: ['iad1'],
    plan: 'enterprise',
    public: false,
    target: null,
    meta: {},
    routes: null,
    builds: [],
    buildRuns: [runOf('@aloft/node', 'package.json')],
    envKeys: [],
    buildEnvKeys: [],
    aliasWish: null,
    aliasFinal: [],
    aliasAssigned: false,
    aliasError: null,
    failure: null,
    type: 'NPM',
    scale: { min: 0, max: 1 },
    sessionAffinity: 'random',
    nodeVersion: null,
    requestedType: null,
    settings: { ...DEFAULT_BUILD_SETTINGS, ...changes.settings },
    incomplete: false,
    digest: '',
    ...changes.deployment,
  }
  return {
    deployment,
    plan: NO_PLAN,
    // No more of it than builds look at.
    project: {
      id: 'prj_1',
      ownerId: 'usr_1',
      build: { ...DEFAULT_BUILD_SETTINGS, ...changes.settings },
    } as Project,
    files,
    env: changes.env ?? {},
    secrets: [],
    ...(changes.registryAuthToken === undefined ? {} : { registryAuthToken: changes.registryAuthToken }),
    signal: changes.signal ?? new AbortController().signal,
  }
}

/** What these files are found out to be, as a deployment with these changes. */
export async function planOf(files: Files, changes: TaskChanges = {}): Promise<Plan> {
  const { files: manifest, read } = manifestOf(files)
  return (await plannedTask(manifest, read, changes)).plan
}

export async function plannedTask(
  manifest: readonly ManifestFile[],
  read: ReadContent<ManifestFile>,
  changes: TaskChanges = {},
): Promise<BuildTask> {
  const task = taskOf(manifest, changes)
  const { deployment, project } = task
  const plan = await detect({
    files: manifest,
    read,
    settings: project.build,
    request: deployment,
    docker: changes.docker ?? false,
  })
  return { ...task, plan }
}
