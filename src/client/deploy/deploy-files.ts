import { createDeployment, getDeployment, listDeployments, type Target } from '#contract/api/deployment.ts'
import { NEW_PROJECT_NODE_VERSION } from '#contract/api/node-versions.ts'
import { ApiError } from '../api-error.ts'
import { type Persistence, persist, type Wait } from '../call/persist.ts'
import type { Client } from '../client.ts'
import { followBuild } from '../follow/follow-build.ts'
import { reporting } from '../reporting.ts'
import { DeployError } from './deploy-error.ts'
import type { DeployEvent, Deployment } from './deploy-event.ts'
import { hashFiles } from './hash-files.ts'
import { type MemoryFile, memoryFile } from './memory-file.ts'
import type { HashedFile, SourceFile } from './source-file.ts'
import { uploadFiles } from './upload-files.ts'

type Variables = Readonly<Record<string, string>>

/** What a deployment is made with, beside its files. */
export interface DeployRequest {
  readonly client: Client
  /** The project is the one of this name, unless `project` says otherwise. */
  readonly name: string
  /** The project by its id or name; it has to be there. */
  readonly project?: string | undefined
  /** The folder of the project among the files, if this makes the project. */
  readonly rootDirectory?: string | undefined
  readonly target?: Target | undefined
  /** In the place of a target: an environment of the project, by its slug or id. */
  readonly environment?: string | undefined
  readonly env?: Variables
  readonly buildEnv?: Variables
  readonly meta?: Variables
  readonly regions?: readonly string[] | undefined
  readonly public?: boolean
  /** A new deployment although nothing changed. */
  readonly force?: boolean
  /** False: do not wait for the build. */
  readonly follow?: boolean
  /** Stops it; what was uploaded stays and is not uploaded again. */
  readonly signal?: AbortSignal
  readonly wait?: Wait
}

/** More than enough: a file that is gone again between two of them was deleted on purpose. */
const MAX_ROUNDS = 4

const bytesOf = (files: readonly { readonly size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0)

/**
 * Deploys files that are in memory or can be read into it; it needs nothing of Node. It ends like `deploy` of a folder,
 * which is this with files of a disk.
 */
export const deployFiles = (
  options: DeployRequest & { readonly files: readonly MemoryFile[] },
): AsyncGenerator<DeployEvent, void> =>
  deploySources(options, async () => {
    if (options.files.length === 0) throw new DeployError('no_files', 'There are no files to deploy.')
    return options.files.map(memoryFile)
  })

/** Deploys what `find` finds: says what is there, sends what is missing, and follows the build. */
export async function* deploySources(
  options: DeployRequest,
  find: (signal: AbortSignal) => Promise<readonly SourceFile[]>,
): AsyncGenerator<DeployEvent, void> {
  // Whoever stops listening stops the work as well.
  const stopped = new AbortController()
  const signal =
    options.signal === undefined ? stopped.signal : AbortSignal.any([options.signal, stopped.signal])
  try {
    yield* run({ ...options, signal }, await find(signal))
  } finally {
    stopped.abort()
  }
}

async function* run(
  options: DeployRequest & { readonly signal: AbortSignal },
  found: readonly SourceFile[],
): AsyncGenerator<DeployEvent> {
  const { client, signal, wait } = options
  const how = { signal, wait }
  yield { type: 'collected', files: found.length, bytes: bytesOf(found) }

  const files = yield* reporting<DeployEvent, HashedFile[]>((tell) => {
    let [count, bytes] = [0, 0]
    const onFile = ({ size }: HashedFile) => {
      bytes += size
      tell({ type: 'hashed', files: ++count, bytes })
    }
    return hashFiles(found, onFile, signal)
  })

  for (let round = 1; ; round++) {
    const answer = yield* reporting<DeployEvent, Created>((tell) =>
      create(options, files, { ...how, onFailure: (error) => tell({ type: 'retrying', error }) }),
    )
    if ('deployment' in answer) {
      const { deployment } = answer
      yield { type: 'created', deployment }
      if (options.follow !== false) yield* followBuild(client, deployment, how)
      return
    }
    const missing = contentsOf(files, answer.missing)
    if (round >= MAX_ROUNDS || missing.length === 0) throw answer.error
    yield { type: 'missing', files: missing.length, bytes: bytesOf(missing) }
    yield* reporting<DeployEvent, void>((tell) =>
      uploadFiles(client, missing, (progress) => tell({ type: 'uploaded', ...progress }), how),
    )
  }
}

type Created =
  | { readonly deployment: Deployment }
  | { readonly missing: readonly string[]; readonly error: ApiError }

async function create(
  options: DeployRequest,
  files: readonly HashedFile[],
  how: Persistence & { readonly signal: AbortSignal },
): Promise<Created> {
  const {
    client,
    env,
    buildEnv,
    meta,
    regions,
    target,
    environment,
    project,
    rootDirectory,
    force = false,
  } = options
  const call = (mark?: string) =>
    client.call(createDeployment, {
      signal: how.signal,
      ...(mark === undefined ? {} : { query: { forceNew: true } }),
      body: {
        name: options.name,
        version: 2,
        files: files.map(({ path, sha, size, mode }) => ({ file: path, sha, size, mode })),
        ...(project === undefined
          ? {
              projectSettings: {
                nodeVersion: NEW_PROJECT_NODE_VERSION,
                ...(rootDirectory === undefined ? {} : { rootDirectory }),
              },
            }
          : { project }),
        ...(target === undefined ? {} : { target }),
        ...(environment === undefined ? {} : { customEnvironmentSlugOrId: environment }),
        ...(env === undefined ? {} : { env }),
        ...(buildEnv === undefined ? {} : { build: { env: buildEnv } }),
        ...(meta === undefined && mark === undefined
          ? {}
          : { meta: { ...meta, ...(mark === undefined ? {} : { [MARK]: mark }) } }),
        ...(regions === undefined ? {} : { regions: [...regions] }),
        ...(options.public ? { public: true } : {}),
      },
    })
  try {
    // The same files give the same deployment, so that asking twice makes one.
    return { deployment: await (force ? createNew(client, call, how) : persist(() => call(), how)) }
  } catch (error) {
    const missing = error instanceof ApiError && error.code === 'missing_files' ? error.extra.missing : null
    if (!Array.isArray(missing)) throw error
    return { missing: missing.map(String), error: error as ApiError }
  }
}

/** The note by which a new deployment is known again. */
const MARK = 'aloftDeployId'

/**
 * A new deployment although nothing changed. After a connection that broke, the one that was asked for may be there
 * already: it is looked for by its mark before another is made.
 */
function createNew(
  client: Client,
  call: (mark: string) => Promise<Deployment>,
  how: Persistence & { readonly signal: AbortSignal },
): Promise<Deployment> {
  const mark = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  let isDoubtful = false
  return persist(async () => {
    const made = isDoubtful ? await findMarked(client, mark, how.signal) : undefined
    if (made !== undefined) return made
    try {
      return await call(mark)
    } catch (error) {
      isDoubtful = true
      throw error
    }
  }, how)
}

async function findMarked(
  client: Client,
  mark: string,
  signal: AbortSignal,
): Promise<Deployment | undefined> {
  const query = { limit: 1, [`meta-${MARK}`]: mark }
  const { deployments } = await client.call(listDeployments, { query, signal })
  const [found] = deployments
  return found && client.call(getDeployment, { params: { id: found.uid }, signal })
}

/** A file for each of the contents: two files that are the same need one upload. */
function contentsOf(files: readonly HashedFile[], shas: readonly string[]): HashedFile[] {
  const bySha = new Map(files.map((file) => [file.sha, file]))
  return [...new Set(shas)].flatMap((sha) => bySha.get(sha) ?? [])
}
