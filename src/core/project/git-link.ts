import { createHash } from 'node:crypto'
import { GIT_TYPES, type GitType } from '#contract/api/project.ts'
import { invalidRequest } from '#contract/errors.ts'

/** The repository a project belongs to. Nothing is fetched from it: it is remembered, shown and filtered by. */
export interface GitLink {
  readonly type: GitType
  /** `owner/name`, and on GitLab `group/…/name`. */
  readonly repo: string
  readonly createdAt: number
}

/** Nobody asks the host which one it is. */
export const PRODUCTION_BRANCH = 'main'

/** The branch that a project itself says goes to production; undefined where it leaves that to what is pushed to it. */
export const statedProductionBranch = ({
  link,
  productionBranch,
}: {
  readonly link: GitLink | null
  readonly productionBranch: string | null
}): string | undefined => productionBranch ?? (link === null ? undefined : PRODUCTION_BRANCH)

const REPO = /^[A-Za-z0-9_.-]{1,100}(?:\/[A-Za-z0-9_.-]{1,100}){1,5}$/

const SITES: Readonly<Record<string, GitType>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
}

export function readGitLink(
  { type, repo }: { readonly type: GitType; readonly repo: string },
  now: number,
): GitLink {
  if (!REPO.test(repo) || (type !== 'gitlab' && repo.split('/').length !== 2))
    throw invalidRequest('`gitRepository.repo` should be `owner/name`')
  return { type, repo, createdAt: now }
}

/** What a link is looked up by. */
export const linkKey = ({ type, repo }: Pick<GitLink, 'type' | 'repo'>): string =>
  `${type}:${repo.toLowerCase()}`

/** Every key that this text can stand for: it may be an address, or `owner/name` of any host. */
export function linkKeysOf(text: string): string[] {
  const url = /^(?:https?:\/\/|git@)([a-z.]+)[/:](.+?)(?:\.git)?\/?$/i.exec(text.trim())
  if (!url) return GIT_TYPES.map((type) => linkKey({ type, repo: text.trim() }))
  const type = SITES[(url[1] ?? '').toLowerCase()]
  return type === undefined ? [] : [linkKey({ type, repo: url[2] ?? '' })]
}

/** Hosts number their repositories. Nobody asks them here, so the number follows from the name. */
export const repoNumber = (link: Pick<GitLink, 'type' | 'repo'>): number =>
  createHash('sha256').update(linkKey(link)).digest().readUIntBE(0, 6)
