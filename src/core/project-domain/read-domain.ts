import { AloftError, invalidRequest } from '#contract/errors.ts'
import { statedProductionBranch } from '../project/git-link.ts'
import type { Project } from '../project/project.ts'
import { toStored } from './domain-name.ts'
import type { ProjectDomain, RedirectStatus } from './project-domain.ts'

/** What a request may set. What is undefined stays as it is; null clears. */
export interface DomainSettings {
  readonly redirect?: string | null | undefined
  readonly redirectStatusCode?: RedirectStatus | null | undefined
  readonly gitBranch?: string | null | undefined
  readonly customEnvironmentId?: string | null | undefined
}

type Settled = Pick<ProjectDomain, 'redirect' | 'redirectStatusCode' | 'gitBranch' | 'customEnvironmentId'>

export const NOTHING_SET: Settled = {
  redirect: null,
  redirectStatusCode: null,
  gitBranch: null,
  customEnvironmentId: null,
}

const DEFAULT_STATUS = 307

const nowhere = (why: string) => new AloftError('invalid_redirect', `The domain can’t redirect ${why}.`)

/** What these settings make of a domain, among all the domains that its project has. */
export function readDomainSettings(
  current: Settled & Pick<ProjectDomain, 'name'>,
  given: DomainSettings,
  { project, siblings }: { readonly project: Project; readonly siblings: readonly ProjectDomain[] },
): Settled {
  const redirect =
    given.redirect === undefined ? current.redirect : given.redirect && toStored(given.redirect)
  const gitBranch = given.gitBranch === undefined ? current.gitBranch : given.gitBranch
  const customEnvironmentId =
    given.customEnvironmentId === undefined ? current.customEnvironmentId : given.customEnvironmentId
  if (redirect !== null && gitBranch !== null)
    throw invalidRequest('a domain can’t have both `gitBranch` and `redirect`')
  if (redirect === null && (given.redirectStatusCode ?? null) !== null)
    throw invalidRequest('`redirectStatusCode` can only be used with `redirect`')
  if (gitBranch !== null && gitBranch === statedProductionBranch(project.details))
    throw invalidRequest(`\`gitBranch\` should not be \`${gitBranch}\`, which is deployed to production`)
  if (redirect !== null) checkRedirect(current.name, redirect, siblings)
  return {
    redirect,
    redirectStatusCode: redirect === null ? null : statusOf(current, given),
    gitBranch,
    customEnvironmentId,
  }
}

const statusOf = (current: Settled, { redirectStatusCode }: DomainSettings): RedirectStatus =>
  (redirectStatusCode === undefined ? current.redirectStatusCode : redirectStatusCode) ?? DEFAULT_STATUS

/** Visitors have to arrive somewhere, and at this project. */
function checkRedirect(name: string, target: string, siblings: readonly ProjectDomain[]): void {
  const next = new Map(siblings.map((domain) => [domain.name, domain.redirect]))
  if (target === name) throw nowhere('to itself')
  if (!next.has(target)) throw nowhere(`to \`${target}\`, which is not a domain of the project`)
  const passed = new Set([name])
  for (let at: string | null = target; at !== null; at = next.get(at) ?? null) {
    if (passed.has(at)) throw nowhere(`to \`${target}\`, which redirects back`)
    passed.add(at)
  }
}
