import { MINUTE, SECOND } from '#contract/time.ts'
import { type Deployment, environmentNameOf } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { branchAliasOf } from './branch-alias.ts'
import type { Credentials } from './host/credentials.ts'
import { type CommitStatus, type GitHostApi, type HostAccess, HostRefusal } from './host/host-api.ts'
import type { Pull, PullStore } from './pull/pull.ts'
import { branchOfRef, type Push, refOfBranch, shortOid } from './push/push.ts'
import type { PushStore } from './push/push-store.ts'
import { REPORT_JOB } from './push/queue-push.ts'
import type { GitSource, SourceStore } from './source/source.ts'

interface ReportParts {
  readonly pushes: Pick<PushStore, 'byId' | 'update' | 'lastDeployed'>
  readonly pulls: Pick<PullStore, 'open' | 'same'>
  readonly sources: Pick<SourceStore, 'find'>
  readonly projects: Pick<ProjectStore, 'byId'>
  readonly deployments: Pick<DeploymentStore, 'find'>
  readonly api: GitHostApi
  readonly credentials: Pick<Credentials, 'host'>
  /** The address of a site by its host. */
  readonly addressOf: (host: string) => string
  /** `{base_url}`. */
  readonly site: string
}

const MAX_DESCRIPTION = 140

/** What the host of a repository is told. Nothing waits for it: a build goes its way whatever the host says. */
export function createReportJob(parts: ReportParts): JobHandler {
  const { pushes, pulls, sources, projects, deployments, api, credentials } = parts

  const deploymentOf = async ({ deploymentId }: Pick<Push, 'deploymentId'>) =>
    deploymentId === null ? undefined : await deployments.find(deploymentId)

  const urlOf = (deployment: Deployment | undefined): string => {
    const host = deployment && (branchAliasOf(deployment) ?? deployment.host)
    return host ? parts.addressOf(host) : parts.site
  }

  /** A line for each project of the account that has a deployment of the pull request. */
  async function commentOn(pull: Pull): Promise<string | undefined> {
    const lines: string[] = []
    for (const same of await pulls.same(pull.ownerId, pull.repository, pull.number)) {
      const ref = same.fork ? same.ref : refOfBranch(same.branch)
      const [project, push] = await Promise.all([
        projects.byId(same.projectId),
        pushes.lastDeployed(same.projectId, ref),
      ])
      const deployment = push && (await deploymentOf(push))
      if (project && push && deployment)
        lines.push(
          `| ${project.name} | ${stateOf(deployment)} | [Visit](${urlOf(deployment)}) | \`${shortOid(push.after ?? '')}\` |`,
        )
    }
    if (lines.length === 0) return undefined
    return ['| Project | Status | Preview | Commit |', '| --- | --- | --- | --- |', ...lines].join('\n')
  }

  async function report(push: Push, source: GitSource, project: Project, signal: AbortSignal): Promise<void> {
    const access = await credentials.host(source)
    if (!access) return
    const deployment = await deploymentOf(push)
    const status = statusOf(push, deployment)
    if (status && push.after) await reportStatus(push, access, project, status, urlOf(deployment), signal)
    const branch = push.pull?.branch ?? branchOfRef(push.ref)
    for (const pull of await pulls.open(project.id)) {
      if (pull.branch !== branch) continue
      const text = await commentOn(pull)
      // A definition that nothing refers to: no host shows it.
      const mark = `[//]: # (aloft ${project.ownerId})`
      if (text !== undefined)
        await api.comment(access, pull.number, { mark, body: `${text}\n\n${mark}` }, signal)
    }
    await reportDeployment(push, access, project, deployment, signal).catch((error: unknown) => {
      // The status of the commit says the same to everybody whose token may not tell of deployments.
      if (!(error instanceof HostRefusal)) throw error
    })
  }

  const remember = (push: Push, told: Partial<Push['told']>) =>
    pushes.update(push.id, [push.state], { told: { ...push.told, ...told } })

  /**
   * Once: a deployment with nothing to build has come to its end as soon as it is made, so that both the push and the
   * deployment lead to a report of the same; and what is tried again begins anew.
   */
  async function reportStatus(
    push: Push,
    access: HostAccess,
    { name }: Project,
    { state, description }: Pick<CommitStatus, 'state' | 'description'>,
    url: string,
    signal: AbortSignal,
  ): Promise<void> {
    const commit = push.after ?? ''
    const said = {
      ...{ commit, state, url, context: `aloft/${name}` },
      description: description.slice(0, MAX_DESCRIPTION),
    }
    const status = JSON.stringify(said)
    if (push.told.status === status) return
    await api.setStatus(access, said, signal)
    await remember(push, { status })
  }

  async function reportDeployment(
    push: Push,
    access: HostAccess,
    project: Project,
    deployment: Deployment | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const of = push.state === 'done' ? await endedBy(push) : push
    const about = of === push ? deployment : of && (await deploymentOf(of))
    const status = of && about && statusOf(of, about)
    if (!of?.after || !about || !status) return
    const known = (await pushes.byId(of.id))?.told ?? of.told
    const state = of === push ? status.state : 'inactive'
    if (known.deployment?.state === state || (state === 'inactive' && known.deployment === null)) return
    const branch = of.pull?.branch ?? branchOfRef(of.ref) ?? of.ref
    const id = await api.setDeployment(
      access,
      {
        ...{ commit: of.after, ref: branch, branch, state, project: project.name, url: urlOf(about) },
        environment: environmentNameOf(about),
        logUrl: `${parts.site}/deployments/${about.id}`,
      },
      known.deployment?.id,
      signal,
    )
    if (id !== undefined) await remember({ ...of, told: known }, { deployment: { id, state } })
  }

  /** Of a branch that was deleted, or a pull request that was closed: the preview that was deployed of it last. */
  async function endedBy({ projectId, ref, pull, fork, reason }: Push): Promise<Push | undefined> {
    if (reason?.code !== 'branch_deleted' && reason?.code !== 'pull_request_closed') return undefined
    const isShared = (await pulls.open(projectId)).some(({ branch }) => branch === pull?.branch)
    if (isShared) return undefined
    const last = await pushes.lastDeployed(projectId, pull && !fork ? refOfBranch(pull.branch) : ref)
    const deployment = last && (await deploymentOf(last))
    return deployment?.target === 'production' ? undefined : last
  }

  return {
    kind: REPORT_JOB,
    summary: 'Report the result of a push to its Git host',
    timeLimit: 5 * MINUTE,
    maxAttempts: 8,
    atOnce: 4,
    inOrder: true,
    // A host may answer as slowly as it likes.
    ofOneAccount: 1,
    givesWayAfter: 20 * SECOND,
    async run({ pushId }, { signal }) {
      const push = await pushes.byId(String(pushId))
      const source = push && (await sources.find(push.projectId))
      const project = source && (await projects.byId(push.projectId))
      if (!push || !source || !project) return
      try {
        await report(push, source, project, signal)
      } catch (error) {
        if (!(error instanceof HostRefusal)) throw error
        const note = `The commit status could not be sent to the host: ${error.message}. The token may lack permission to write statuses and comments.`
        if (!push.notes.includes(note))
          await pushes.update(push.id, [push.state], { notes: [...push.notes, note] })
      }
    },
  }
}

const stateOf = ({ state }: Deployment): string =>
  state === 'READY' ? 'Ready' : state === 'ERROR' ? 'Failed' : 'Building'

/** Undefined where nothing was built and nothing is to be. */
function statusOf(
  { state, reason }: Push,
  deployment: Deployment | undefined,
): Pick<CommitStatus, 'state' | 'description'> | undefined {
  if (state === 'held') return { state: 'pending', description: 'Waiting for a member to approve it' }
  if (state === 'failed') return { state: 'failure', description: reason?.message ?? 'Failed' }
  if (state !== 'deployed' || !deployment) return undefined
  if (deployment.state === 'READY') return { state: 'success', description: 'Ready' }
  if (deployment.state === 'ERROR')
    return { state: 'failure', description: deployment.failure?.message ?? 'The build failed' }
  return { state: 'pending', description: 'Building' }
}
