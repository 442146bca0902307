import { SYSTEM_VARIABLES, type SystemVariable } from '#contract/api/env-variable.ts'
import { BRANCH_KEYS } from '../branch.ts'
import { type Deployment, environmentNameOf, environmentOf } from '../deployment.ts'
import type { FrozenValues } from './frozen-values.ts'
import type { SiteNames } from './site-names.ts'

/** What git knows of a deployment, by the keys under which clients put it into `meta`. */
const GIT: Readonly<Record<Extract<SystemVariable, `GIT_${string}`>, readonly string[]>> = {
  GIT_PROVIDER: ['gitProvider'],
  GIT_COMMIT_REF: BRANCH_KEYS,
  GIT_COMMIT_SHA: ['gitCommitSha', 'githubCommitSha', 'gitlabCommitSha', 'bitbucketCommitSha'],
  GIT_COMMIT_MESSAGE: ['gitCommitMessage', 'githubCommitMessage', 'gitlabCommitMessage'],
  GIT_COMMIT_AUTHOR_LOGIN: ['gitCommitAuthorName', 'githubCommitAuthorLogin', 'gitlabCommitAuthorLogin'],
  GIT_PULL_REQUEST_ID: ['gitPullRequestId', 'githubPrId', 'gitlabMergeRequestIid', 'bitbucketPrId'],
  GIT_REPO_SLUG: ['githubRepo', 'gitlabProjectPath', 'bitbucketRepoSlug'],
  GIT_REPO_OWNER: ['githubOrg', 'gitlabProjectNamespace', 'bitbucketRepoOwner'],
}

/** Our own names, and the ones by which frameworks know a platform of this kind. */
const PREFIXES = ['PLATFORM', 'VERCEL'] as const

const SYSTEM_NAMES: ReadonlySet<string> = new Set([
  'CI',
  ...PREFIXES.flatMap((prefix) => [prefix, ...SYSTEM_VARIABLES.map((name) => `${prefix}_${name}`)]),
])

/** Whether there is a system variable of this name, though not every deployment may have it. */
export const isSystemName = (name: string): boolean => SYSTEM_NAMES.has(name)

/** All that a build or a program finds beside its own variables, as its project has it. */
export function surroundings(
  deployment: Deployment,
  { system = {}, hidesSystem = false }: Pick<FrozenValues, 'system' | 'hidesSystem'>,
  names: SiteNames,
  region?: string,
): Record<string, string> {
  const env = systemEnv(deployment, names, region)
  const named = Object.entries(system).map(([key, name]) => [key, env[name] ?? ''])
  return { ...(hidesSystem ? {} : env), ...Object.fromEntries(named) }
}

/** Variables that every build and every program finds; `region` is where the program runs. */
export function systemEnv(
  deployment: Deployment,
  names: SiteNames = {},
  region: string = deployment.createdIn,
): Record<string, string> {
  const { id, host, projectId, meta } = deployment
  const values: [string, string | undefined][] = [
    ['ENV', environmentOf(deployment)],
    ['TARGET_ENV', environmentNameOf(deployment)],
    ['URL', host ?? ''],
    ['BRANCH_URL', names.branch],
    ['PROJECT_PRODUCTION_URL', names.production],
    ['REGION', region],
    ['DEPLOYMENT_ID', id],
    ['PROJECT_ID', projectId],
    ...Object.entries(GIT).map(([name, keys]): [string, string | undefined] => [
      name,
      keys.map((key) => meta[key]).find((value) => value !== undefined),
    ]),
  ]
  const env: Record<string, string> = { CI: '1' }
  for (const prefix of PREFIXES) {
    env[prefix] = '1'
    for (const [name, value] of values) if (value !== undefined) env[`${prefix}_${name}`] = value
  }
  return env
}
