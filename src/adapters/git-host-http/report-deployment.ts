import type { HostAccess, HostDeployment } from '#core/git/host/host-api.ts'
import { object, text } from '#core/git/pull/pull-payload.ts'
import { repositoryOf } from '#core/git/source/source.ts'
import { encoded, type HostCall } from './host-call.ts'

type ReportDeployment = (
  call: HostCall,
  access: HostAccess,
  deployment: HostDeployment,
  id: string | undefined,
  signal: AbortSignal,
) => Promise<string | undefined>

const GITHUB_STATES = {
  pending: 'in_progress',
  success: 'success',
  failure: 'failure',
  inactive: 'inactive',
} as const
const GITLAB_STATES = { pending: 'running', success: 'success', failure: 'failed' } as const

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

/** What GitHub shows as “Deployments” and beside a pull request. */
const github: ReportDeployment = async (call, access, deployment, known, signal) => {
  const at = `/repos/${encoded(repositoryOf(access))}/deployments`
  const { commit, environment, project, state, url, logUrl } = deployment
  const isProduction = environment === 'production'
  const name = `${capital(environment)} – ${project}`
  const make = async () => {
    const { body } = await call(
      access,
      {
        method: 'POST',
        path: at,
        body: {
          ref: commit,
          environment: name,
          // It is deployed already: nothing is to be merged into it, and nothing to be waited for.
          auto_merge: false,
          required_contexts: [],
          transient_environment: !isProduction,
          production_environment: isProduction,
        },
      },
      signal,
    )
    const { id } = object(body)
    return id === undefined ? undefined : String(id)
  }
  const id = known ?? (await make())
  if (id === undefined) return undefined
  const body = { state: GITHUB_STATES[state], environment: name, environment_url: url, log_url: logUrl }
  await call(access, { method: 'POST', path: `${at}/${encodeURIComponent(id)}/statuses`, body }, signal)
  return id
}

/** Each preview is an environment of its own, because an environment has one address. Its id stands behind that of the deployment. */
const gitlab: ReportDeployment = async (call, access, deployment, known, signal) => {
  const at = `/projects/${encodeURIComponent(repositoryOf(access))}`
  const { commit, ref, environment, project, branch, state, url } = deployment
  const [id, place] = known?.split(' ') ?? []
  if (state === 'inactive') {
    if (place)
      await call(access, { method: 'POST', path: `${at}/environments/${place}/stop`, body: {} }, signal)
    return known
  }
  const status = GITLAB_STATES[state]
  if (id !== undefined) {
    await call(access, { method: 'PUT', path: `${at}/deployments/${id}`, body: { status } }, signal)
    return known
  }
  const slug = branch.replaceAll(/[^A-Za-z0-9_-]+/g, '-')
  const { body } = await call(
    access,
    {
      method: 'POST',
      path: `${at}/deployments`,
      body: {
        environment: environment === 'preview' ? `${project}/preview/${slug}` : `${project}/${environment}`,
        ...{ sha: commit, ref, tag: false, status },
      },
    },
    signal,
  )
  const made = object(body)
  const { id: environmentId, external_url: shown } = object(made.environment)
  if (made.id === undefined) return undefined
  if (environmentId !== undefined && text(shown) !== url)
    await call(
      access,
      { method: 'PUT', path: `${at}/environments/${environmentId}`, body: { external_url: url } },
      signal,
    )
  return `${made.id} ${environmentId ?? ''}`
}

/** Gitea and Forgejo have no deployments; those of Bitbucket are of its own pipelines. */
export const reportDeployment: ReportDeployment = async (call, access, deployment, id, signal) => {
  if (access.kind === 'github') return github(call, access, deployment, id, signal)
  if (access.kind === 'gitlab') return gitlab(call, access, deployment, id, signal)
  return undefined
}
