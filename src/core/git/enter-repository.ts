import * as api from '#contract/api/git.ts'
import { needs } from '#contract/scopes.ts'
import { authorise, type Memberships, refuseDisabled, resolveOwner } from '../access/authorise.ts'
import { type Actor, type Owner, personalOwner } from '../access/context.ts'

/** What a git client asks for, by the name of the program that answers it. */
const GIT_SERVICES = ['git-upload-pack', 'git-receive-pack'] as const
export type GitService = (typeof GIT_SERVICES)[number]

export const isGitService = (name: string | undefined): name is GitService =>
  (GIT_SERVICES as readonly (string | undefined)[]).includes(name)

/**
 * The account whose repository somebody asks for, when they may: the same rules over HTTP and SSH.
 * Nobody learns whether an account exists that they may not use.
 */
export async function enterRepository(
  teams: Memberships,
  actor: Actor,
  account: string,
  service: GitService,
): Promise<Owner> {
  refuseDisabled(actor)
  const owner =
    account === actor.user.username
      ? personalOwner(actor.user)
      : await resolveOwner(actor, { slug: account }, teams)
  const row = service === 'git-upload-pack' ? api.gitRefs : api.gitReceivePack
  authorise({ ...row, access: needs('project', 'deployment') } as typeof row, actor, owner)
  return owner
}

/** The name of the project in the address of a repository. */
export const projectOfRepository = (repository: string): string => repository.replace(/\.git$/, '')
