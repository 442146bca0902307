import { compileLenientGlob, globListBudget } from '#contract/glob/glob.ts'
import type { Project } from '../../project/project.ts'
import { branchOfRef, isTag, type Push, type PushReason, refOfBranch, shortOid } from './push.ts'

const reason = (code: string, message: string): PushReason => ({ code, message })

/** The branch that goes to production: as it was set, else `main`, else what the repository begins with. */
export function productionBranch(
  { details }: Pick<Project, 'details'>,
  refs: ReadonlyMap<string, string>,
  head: string | undefined,
): string {
  if (details.productionBranch !== null) return details.productionBranch
  return refs.has(refOfBranch('main')) || head === undefined ? 'main' : head
}

type PushKind =
  | { readonly kind: 'branch'; readonly branch: string; readonly commit: string }
  | { readonly kind: 'deleted'; readonly branch: string }
  | { readonly kind: 'none'; readonly reason: PushReason }

/** What a push is about, as far as it says so itself. */
export function kindOfPush({ ref, after, pull }: Pick<Push, 'ref' | 'after' | 'pull'>): PushKind {
  const branch = pull?.branch ?? branchOfRef(ref)
  if (branch !== undefined)
    return after === null ? { kind: 'deleted', branch } : { kind: 'branch', branch, commit: after }
  if (isTag(ref))
    return {
      kind: 'none',
      reason: reason('tag', 'Tags are stored but not deployed. Push a branch to deploy it.'),
    }
  return {
    kind: 'none',
    reason: reason('not_a_branch', `\`${ref}\` is not a branch, and only branches are deployed.`),
  }
}

/**
 * What `git.deploymentEnabled` of the configuration file says of a branch: a switch for all, or one for each pattern,
 * of which the branch is deployed unless all that name it say no.
 */
export function isEnabledFor(setting: unknown, branch: string): boolean {
  if (typeof setting === 'boolean') return setting
  if (typeof setting !== 'object' || setting === null) return true
  const budget = globListBudget()
  const said = Object.entries(setting).filter(
    ([pattern]) => pattern === branch || compileLenientGlob(pattern, budget).matches(branch),
  )
  return said.length === 0 || said.some(([, value]) => value !== false)
}

export const REASONS = {
  superseded: (by: Pick<Push, 'after' | 'pull'>) =>
    reason(
      'superseded',
      by.after === null
        ? `The ${by.pull === null ? 'branch was deleted' : 'pull request was closed'} before this push was deployed.`
        : `A newer push to the branch, ${shortOid(by.after)}, replaced this one before it was deployed.`,
    ),
  waiting: (deploymentId: string) =>
    reason('waiting', `Waiting for the build of the previous push, ${deploymentId}.`),
  deleted: (names: readonly string[]) =>
    reason(
      'branch_deleted',
      names.length === 0
        ? 'The branch was deleted.'
        : `The branch was deleted: ${names.join(', ')} is no longer served.`,
    ),
  closed: (number: number, names: readonly string[]) =>
    reason(
      'pull_request_closed',
      names.length === 0
        ? `Pull request #${number} was closed.`
        : `Pull request #${number} was closed: ${names.join(', ')} is no longer served.`,
    ),
  ofBranch: (number: number, branch: string) =>
    reason(
      'pull_request',
      `Pull request #${number} is for the branch ${branch}, which already has a preview.`,
    ),
  disabled: (file: string) =>
    reason(
      'deployment_disabled',
      `Deployments of this branch are disabled by \`git.deploymentEnabled\` in ${file}.`,
    ),
  untouched: (folder: string, since: string) =>
    reason(
      'untouched',
      `Nothing changed in ${folder} or its dependencies since ${shortOid(since)}, which is deployed. Push with \`-o force\` to deploy anyway.`,
    ),
  held: reason(
    'fork',
    'It comes from a fork of the repository. A member has to approve it before it is built, and it is built without the variables of the project.',
  ),
  noBranch: (branch: string) =>
    reason('no_branch', `The repository of the project has no branch \`${branch}\`. Push it first.`),
  blocked: reason(
    'payment_required',
    'This account is blocked. Settle its outstanding payment, then run the push again.',
  ),
  gone: reason('commit_gone', 'The commit is no longer in the repository.'),
  brokenOff: reason('broken_off', 'The push was interrupted. Push again.'),
} as const
