import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Confine, openConfine } from '#adapters/git-cli/confine.ts'
import { createGitRemotes } from '#adapters/git-cli/git-remotes.ts'
import { createGitRepositories, type GitCliParts } from '#adapters/git-cli/git-repositories.ts'
import { createRepositoryFiles } from '#adapters/git-cli/repository-files.ts'
import { createGitHostApi } from '#adapters/git-host-http/git-host-api.ts'
import { createHostAccounts } from '#adapters/git-host-http/host-accounts.ts'
import { createHostApps } from '#adapters/git-host-http/host-apps.ts'
import { createHostCall } from '#adapters/git-host-http/host-call.ts'
import { createHostHooks } from '#adapters/git-host-http/host-hooks.ts'
import { createHostPulls } from '#adapters/git-host-http/host-pulls.ts'
import { createLfsObjects } from '#adapters/git-host-http/lfs-objects.ts'
import { createSharedRepositories } from '#adapters/git-shared/shared-repositories.ts'
import type { Context } from '#core/access/context.ts'
import { personalOwner } from '#core/access/context.ts'
import type { Deployments } from '#core/deployment/deployments.ts'
import { createAppAccess } from '#core/git/app/app-access.ts'
import {
  createInstallationsJob,
  type RefreshInstallations,
  refreshInstallations,
} from '#core/git/app/installations.ts'
import { copyOf, GitError, type GitRepositories, projectOfCopy } from '#core/git/git-repositories.ts'
import { createCredentials } from '#core/git/host/credentials.ts'
import { remoteProblem } from '#core/git/host/remote-problem.ts'
import { createUnhookJob } from '#core/git/host/unhook-job.ts'
import { followPush } from '#core/git/push/follow-push.ts'
import { LATEST, type Push } from '#core/git/push/push.ts'
import {
  createAfterPushJob,
  createPushJob,
  createPushRounds,
  type OpenSource,
  type PushJobParts,
} from '#core/git/push/push-job.ts'
import { createReportJob } from '#core/git/report-job.ts'
import { createRepositoryRoom, gitRoom, type RepositoryRoom } from '#core/git/repository-room.ts'
import {
  createMeasure,
  type Measure,
  measuredRemotes,
  measuredRepositories,
} from '#core/git/repository-sizes.ts'
import {
  commitUrlOf,
  decoded,
  type GitRemotes,
  type GitSource,
  isOverSsh,
  metaOfSource,
  type RemoteAccess,
} from '#core/git/source/source.ts'
import { createPollRound, createSyncJob, type SyncParts } from '#core/git/source/sync-job.ts'
import { createTidyJob } from '#core/git/tidy-job.ts'
import { accessToModule } from '#core/git/tree/module-access.ts'
import { type OpenModule, OWN } from '#core/git/tree/submodules.ts'
import type { JobHandler } from '#core/job/job-handler.ts'
import type { DeploymentLogs } from '#core/log/read/deployment-logs.ts'
import type { Outbound } from '#core/ports/outbound.ts'
import type { Project } from '#core/project/project.ts'
import type { ContentRoom } from '#core/usage/content-room.ts'
import type { User } from '#core/user/user.ts'
import type { Config } from '../../../config/config.ts'
import { openAllows, openLookUp } from '../outbound.ts'
import type { Parts } from '../parts.ts'

/** What is found out about the machine once, when git is first needed. */
function gitParts({ dataDir, sandbox }: Config): GitCliParts {
  let confine: Promise<Confine> | undefined
  return {
    folder: join(dataDir, 'git'),
    confine: () => {
      confine ??= openConfine(sandbox)
      return confine
    },
  }
}

/** Where machines share an object store, they share repositories in it. */
export function openRepositories(
  config: Config,
  { stores, blobs, clock }: Pick<Parts, 'stores' | 'blobs' | 'clock'>,
): GitRepositories {
  const parts = gitParts(config)
  const local = createGitRepositories(parts)
  const repositories = hasOthers(config)
    ? createSharedRepositories({
        ...{ local, blobs, clock },
        files: createRepositoryFiles(parts.folder, local),
        folderOf: (id) => join(parts.folder, `${id}.git`),
        things: stores.sharedThings,
      })
    : local
  return measuredRepositories(repositories, stores.gitSizes)
}

/** Whether everything that another machine would need is where it finds it. */
export const hasOthers = ({ databaseUrl, blobUrl }: Pick<Config, 'databaseUrl' | 'blobUrl'>): boolean =>
  databaseUrl !== undefined && blobUrl !== undefined

export const openMeasure = (repositories: GitRepositories, { stores }: Pick<Parts, 'stores'>): Measure =>
  createMeasure(repositories, stores.gitSizes)

/** What was pushed to this machine while it was alone is there for all from now on. */
export async function shareRepositories(config: Config, parts: Parts): Promise<void> {
  if (!hasOthers(config)) return
  const { folder } = gitParts(config)
  const repositories = openRepositories(config, parts)
  const own = createRepositoryFiles(folder, createGitRepositories(gitParts(config)))
  const held = await own.hold()
  try {
    for (const id of await held.ids()) await repositories.refs(id)
  } finally {
    await held.close()
  }
}

export function openRemotes(config: Config, parts: Parts, measure: Measure): GitRemotes {
  const room = gitRoom(createRepositoryRoom(parts))
  return measuredRemotes(
    createGitRemotes({
      ...gitParts(config),
      allows: openAllows(config),
      resolve: openLookUp(),
      maxBytes: config.gitMaxPush,
      maxRefs: config.gitMaxRefs,
    }),
    measure,
    async (repository) => {
      const project = await parts.stores.projects.byId(projectOfCopy(repository))
      return project === undefined ? config.gitMaxPush : room(project.ownerId)
    },
  )
}

/** What is asked of the hosts of repositories, and told to them. */
export function openHosts(parts: Pick<Parts, 'outbound' | 'clock'>) {
  const call = createHostCall(parts)
  return {
    api: createGitHostApi(call),
    accounts: createHostAccounts(call),
    hooks: createHostHooks(call),
    apps: createHostApps(call, parts),
    pulls: createHostPulls(call),
  }
}

/** What signs in at the hosts of repositories. */
export function openAccess(parts: Parts, { apps: hostApps }: Pick<ReturnType<typeof openHosts>, 'apps'>) {
  const { stores, transact, vault, clock } = parts
  const { connections, projects, sources, apps } = stores
  const access = createAppAccess({ apps, connections, hostApps, vault, clock })
  const refresh: RefreshInstallations = (app, key) =>
    refreshInstallations({ connections, sources, access, hostApps, transact, clock }, app, key)
  return { access, refresh, credentials: createCredentials({ connections, projects, apps: access, vault }) }
}

/** A push is deployed in the name of whoever pushed; where they have left, of an owner of the account. */
const createActFor =
  ({ stores, clock }: Parts): PushJobParts['actFor'] =>
  async ({ ownerId, userId }) => {
    const as = (user: User): Context['actor'] => ({
      user,
      token: {
        id: 'git',
        userId: user.id,
        name: 'Git',
        kind: 'account',
        createdAt: clock.now(),
        activeAt: clock.now(),
        expiresAt: null,
        installationId: null,
      },
    })
    const user = await stores.users.byId(userId)
    if (user && user.id === ownerId) return { actor: as(user), owner: personalOwner(user) }
    const team = await stores.teams.byId(ownerId)
    if (!team) {
      const owner = await stores.users.byId(ownerId)
      return owner && { actor: as(owner), owner: personalOwner(owner) }
    }
    const members = await stores.teams.members(ownerId)
    const member =
      members.find((one) => one.userId === userId) ?? members.find(({ role }) => role === 'OWNER')
    const actor = member && (member.userId === userId ? user : await stores.users.byId(member.userId))
    if (!member || !actor) return undefined
    const { id, slug, plan, softBlocked } = team
    return { actor: as(actor), owner: { kind: 'team', id, slug, plan, softBlocked, role: member.role } }
  }

interface GitJobParts {
  readonly create: Deployments['create']
  readonly content: ContentRoom
  readonly onHostsChanged: (hosts: readonly string[]) => void
}

export function createGitJobs(config: Config, parts: Parts, given: GitJobParts): readonly JobHandler[] {
  const { stores, transact, bus, clock, blobs } = parts
  const repositories = openRepositories(config, parts)
  const remotes = openRemotes(config, parts, openMeasure(repositories, parts))
  const hosts = openHosts(parts)
  const { credentials, access, refresh } = openAccess(parts, hosts)
  const shared = { pushes: stores.pushes, repositories, transact, bus, clock }
  const room = createRepositoryRoom(parts)
  return [
    createPushJob({
      ...shared,
      ...given,
      projects: stores.projects,
      pulls: stores.pulls,
      deployments: stores.deployments,
      objects: stores.gitObjects,
      files: stores.files,
      blobs,
      origin: config.origin,
      actFor: createActFor(parts),
      openSource: async (project, push, signal) => {
        const source = await stores.sources.find(project.id)
        return source
          ? openRemote(
              { repositories, remotes, credentials, room, outbound: parts.outbound },
              { ...source, ownerId: project.ownerId },
              push,
              signal,
            )
          : openOwn(
              { repositories, remotes, room, outbound: parts.outbound, projects: stores.projects },
              project,
              signal,
            )
      },
    }),
    createReportJob({
      ...shared,
      pulls: stores.pulls,
      sources: stores.sources,
      projects: stores.projects,
      deployments: stores.deployments,
      api: hosts.api,
      credentials,
      addressOf: createAddressOf(config),
      site: config.baseUrl,
    }),
    createAfterPushJob({ ...shared, ...given, projects: stores.projects, pulls: stores.pulls }),
    createUnhookJob({ connections: stores.connections, credentials, hooks: hosts.hooks }),
    createInstallationsJob({ apps: stores.apps, access, refresh, transact }),
    createSyncJob({
      ...shared,
      remotes,
      sources: stores.sources,
      pulls: stores.pulls,
      hostPulls: hosts.pulls,
      projects: stores.projects,
      credentials,
    }),
  ]
}

export const createGitRounds = (config: Config, parts: Parts): readonly JobHandler[] => [
  createPollRound({ ...parts, sources: parts.stores.sources }),
  createTidyJob({
    ...parts,
    repositories: openRepositories(config, parts),
    measure: openMeasure(openRepositories(config, parts), parts),
    objects: parts.stores.gitObjects,
    pulls: parts.stores.pulls,
  }),
  createPushRounds({
    ...parts,
    pushes: parts.stores.pushes,
    repositories: openRepositories(config, parts),
    sizes: parts.stores.gitSizes,
    hasProject: async (id) => (await parts.stores.projects.byId(id)) !== undefined,
  }),
]

interface ModuleParts {
  readonly repositories: GitRepositories
  readonly remotes: GitRemotes
  readonly room: RepositoryRoom
  readonly outbound: Outbound
}

/** Submodules are kept beside the copy of their project, each address in a repository of its own. */
const moduleOpener =
  (
    { repositories, remotes, room }: ModuleParts,
    { id: project, ownerId }: Pick<Project, 'id' | 'ownerId'>,
    /** Undefined where nothing may sign in: for code that strangers wrote. */
    parent: RemoteAccess | undefined,
    signal: AbortSignal,
  ): OpenModule =>
  async ({ url, commit }) => {
    const access = accessToModule(parent, url)
    if (isOverSsh(access) && access.key === undefined)
      throw new GitError(`there is no key for ${new URL(url).hostname}. Use an https URL.`)
    // What was read with a token is not found by whoever has none.
    const key = createHash('sha256')
      .update(`${access.url} ${access.token ?? access.key ?? ''}`)
      .digest('hex')
    const id = copyOf(project, key.slice(0, 16))
    await repositories.ensure(id)
    if ((await repositories.commit(id, commit)) === undefined) {
      await gitRoom(room)(ownerId)
      await remotes.fetchCommit(id, access, commit, signal).catch((error: unknown) => {
        if (!(error instanceof GitError)) throw error
        const isForeign = access.token === undefined && /denied access/.test(error.message)
        throw new GitError(
          isForeign
            ? `${new URL(url).hostname} requires authentication. The token of a repository is only used for submodules at the same host.`
            : remoteProblem(error, { url: access.url, connectionId: null }),
          { cause: error },
        )
      })
    }
    return id
  }

/** The repository that was pushed to here. */
async function openOwn(
  parts: ModuleParts & { readonly projects: Parts['stores']['projects'] },
  { id, name, ownerId }: Project,
  signal: AbortSignal,
): Promise<OpenSource> {
  const { repositories, projects } = parts
  const [refs, head] = await Promise.all([repositories.refs(id), repositories.head(id)])
  const elsewhere = moduleOpener(parts, { id, ownerId }, undefined, signal)
  return {
    ...{ id, refs, head, meta: { gitProvider: 'aloft', gitRepo: name } },
    url: `${OWN}${ownerId}/${name}.git`,
    lfs: () => undefined,
    openModule: async ({ url, commit }) => {
      if (!url.startsWith(OWN)) return elsewhere({ url, commit })
      const [account, repository = '', ...rest] = url.slice(OWN.length).split('/')
      const named = decoded(repository).replace(/\.git$/, '')
      const project =
        account === ownerId && rest.length === 0 ? await projects.byIdOrName(ownerId, named) : undefined
      if (!project) throw new GitError(`the account has no project ${JSON.stringify(named.slice(0, 100))}.`)
      if ((await repositories.commit(project.id, commit)) === undefined)
        throw new GitError(`the commit ${commit.slice(0, 7)} was not pushed to the project ${project.name}.`)
      return project.id
    },
  }
}

/** A copy of what is elsewhere, brought up to date where it lacks what is to be deployed. */
async function openRemote(
  parts: Pick<SyncParts, 'credentials'> & ModuleParts,
  source: GitSource,
  { ref, after, fork, pull }: Push,
  signal: AbortSignal,
): Promise<OpenSource> {
  const { repositories, remotes, credentials } = parts
  const id = source.projectId
  await repositories.ensure(id)
  const access = await credentials.remote(source)
  const isThere = after !== null && after !== LATEST && (await repositories.commit(id, after)) !== undefined
  const commit =
    isThere || !fork || pull === null
      ? undefined
      : await remotes.fetchPull(id, access, { number: pull.number, ...pull.fetch }, signal)
  if (!isThere && commit === undefined) {
    const found = await remotes.refs(access, signal)
    await remotes.fetch(id, access, found.refs, signal)
    // A commit that a branch has left behind since; where its host refuses it, that it is gone is told.
    if (after !== null && after !== LATEST && (await repositories.commit(id, after)) === undefined)
      await remotes.fetchCommit(id, access, after, signal).catch((error: unknown) => {
        if (!(error instanceof GitError)) throw error
      })
  }
  const [incoming, head] = await Promise.all([repositories.incoming(id), repositories.head(id)])
  const refs = commit === undefined ? incoming : new Map([...incoming, [ref, commit]])
  // A fork names whatever it likes as its submodules: what it names is read as anybody could.
  const signIn = fork ? undefined : access
  return {
    ...{ id, refs, head, meta: metaOfSource(source), url: source.url },
    commitUrl: (oid) => commitUrlOf(source, oid),
    openModule: moduleOpener(parts, { id, ownerId: source.ownerId }, signIn, signal),
    lfs: (origin) => createLfsObjects(parts, accessToModule(signIn, origin)),
  }
}

/** Sites are at the port of the API, which shares its listeners with them. */
const createAddressOf = ({ baseUrl }: Pick<Config, 'baseUrl'>) => {
  const { protocol, port } = new URL(baseUrl)
  return (host: string): string => `${protocol}//${host}${port === '' ? '' : `:${port}`}`
}

export const createFollow =
  (config: Config, { stores, bus }: Parts, logs: DeploymentLogs) =>
  (push: Push, signal: AbortSignal) =>
    followPush(
      {
        pushes: stores.pushes,
        deployments: stores.deployments,
        logs,
        bus,
        addressOf: createAddressOf(config),
      },
      push,
      signal,
    )
