import { invalidRequest } from '#contract/errors.ts'
import type { HostKind } from '../host/host-api.ts'

/** A repository elsewhere that a project is deployed from. */
export interface GitSource {
  readonly projectId: string
  readonly ownerId: string
  readonly url: string
  /** Sealed for this project; null where none is needed. */
  readonly sealedToken: string | null
  readonly username: string
  /** Which API its host speaks, where that was said; null where its name tells. */
  readonly host: HostKind | null
  /** Of repositories over SSH: the private half, sealed. */
  readonly sealedKey: string | null
  readonly publicKey: string | null
  /** Of repositories over SSH: the keys that their host showed the first time; it has to show one of them ever after. */
  readonly knownHosts: string | null
  /** The end of the address that the host is to call after a push. */
  readonly hookSecret: string
  /** What the host signs its calls with, sealed; null where none was made. */
  readonly sealedWebhookSecret: string | null
  /** Who connected it: what it deploys is theirs. */
  readonly userId: string
  readonly createdAt: number
  /** When it was last asked what it holds; null: never. */
  readonly checkedAt: number | null
  /** Why that failed the last time; null where it did not. */
  readonly problem: string | null
  /** How often in a row. */
  readonly failures: number
  readonly dueAt: number
  /** The connected host that it is read through; null where it has a token or key of its own. */
  readonly connectionId: string | null
  /** Only of those that are read through a connected host. */
  readonly hook: SourceHook | null
  /** The highest number of a pull request that was seen; null until they were looked for. */
  readonly pulls: { readonly seen: number } | null
}

/** The webhook that was made at the host. */
export interface SourceHook {
  /** Null where the host refused to make it. */
  readonly id: string | null
  readonly problem: string | null
  /** When the host was asked to make a delivery; null where it was not. */
  readonly triedAt: number | null
  /** When a delivery with the right signature came last. */
  readonly heardAt: number | null
}

export interface SourceStore {
  find(projectId: string): Promise<GitSource | undefined>
  /** In the place of the one that the project has. */
  save(source: GitSource): Promise<void>
  update(
    projectId: string,
    change: Partial<
      Pick<GitSource, 'checkedAt' | 'problem' | 'failures' | 'dueAt' | 'knownHosts' | 'hook' | 'pulls'>
    >,
  ): Promise<boolean>
  remove(projectId: string): Promise<boolean>
  /** Remembers a call of the host; false where it is known already. Only the newest few hundred are. */
  remember(projectId: string, delivery: string, now: number): Promise<boolean>
  /** Those that are read through a connected host. */
  through(connectionId: string): Promise<readonly GitSource[]>
  /** Those that are to be asked by now, the longest due first. */
  due(now: number, limit: number): Promise<readonly GitSource[]>
}

/** What is needed to speak with a repository elsewhere. */
export interface RemoteAccess {
  readonly url: string
  readonly username?: string | undefined
  readonly token?: string | undefined
  /** A private key in the form of OpenSSH. */
  readonly key?: string | undefined
  /** Keys of its host, as OpenSSH keeps them; without any, the one that it shows is taken. */
  readonly knownHosts?: string | undefined
  /** The most that may come of it, where that is less than may come of any. */
  readonly maxBytes?: number
}

export interface RemoteRefs {
  /** Branches. */
  readonly refs: ReadonlyMap<string, string>
  /** The branch that it begins with. */
  readonly head: string | undefined
  /** Of repositories over SSH: the keys of the host, to be asked for the next time. */
  readonly knownHosts?: string | undefined
}

/** Where the newest commit of a pull request is. */
export interface PullRef {
  readonly ref: string
  readonly commit: string
}

/** One commit of a repository elsewhere. */
export interface RemoteSnapshot {
  readonly commit: string
  readonly files: readonly { readonly path: string; readonly oid: string }[]
  /** Undefined where it is large. */
  read(oid: string): Promise<Buffer | undefined>
}

/** Repositories elsewhere. Never at private addresses that the operator has not named, never after a redirect. */
export interface GitRemotes {
  /** Rejects where there are more of them, or longer names, than can be pushed here. */
  refs(access: RemoteAccess, signal: AbortSignal): Promise<RemoteRefs>
  /** Those of pull requests, open or not, by their numbers: at hosts that have refs for them. */
  pullRefs(access: RemoteAccess, signal: AbortSignal): Promise<ReadonlyMap<number, PullRef>>
  /**
   * Brings these, as `refs` has answered them, into one of ours, where they and no others are found under `incoming`.
   * Nothing is fetched of what came before, and nothing that is there already.
   */
  fetch(
    repository: string,
    access: RemoteAccess,
    refs: RemoteRefs['refs'],
    signal: AbortSignal,
  ): Promise<void>
  /** Brings one commit, which no branch may have as its newest. Hosts can refuse that. */
  fetchCommit(repository: string, access: RemoteAccess, oid: string, signal: AbortSignal): Promise<void>
  /** Looks at the newest commit of a branch without keeping anything of it. */
  look<T>(
    access: RemoteAccess,
    branch: string,
    use: (snapshot: RemoteSnapshot) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
  /** Brings one ref of a pull request and answers its commit. Another repository has to be one of the same host. */
  fetchPull(
    repository: string,
    access: RemoteAccess,
    pull: { readonly number: number; readonly ref: string; readonly repository?: string },
    signal: AbortSignal,
  ): Promise<string>
  newKey(comment: string): Promise<{ readonly privateKey: string; readonly publicKey: string }>
}

const SCP = /^([A-Za-z0-9_.-]{1,64})@([A-Za-z0-9.-]{1,253}):(?!\/\/)([^\s\p{Cc}]{1,500})$/u

/** What is encoded in an address. A percent sign that begins nothing stands for itself, as git has it. */
export const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })

/** The address of a repository as it is kept, with what was in it to sign in. */
export function readAddress(text: string): {
  readonly url: string
  readonly username: string
  readonly token: string | undefined
} {
  const invalid = (why: string) => invalidRequest(`\`url\` ${why}`)
  const given = text.trim()
  const [, user, host, path] = SCP.exec(given) ?? []
  const url = URL.parse(host === undefined ? given : `ssh://${user}@${host}/${path?.replace(/^\//, '')}`)
  if (!url || !['https:', 'http:', 'ssh:'].includes(url.protocol) || url.pathname.length < 2)
    throw invalid(
      'should be the URL of a repository, such as https://github.com/me/site.git or git@github.com:me/site.git',
    )
  if (/\p{Cc}|\s/u.test(given) || url.hostname.startsWith('-') || given.length > 1000)
    throw invalid('is malformed')
  if (url.search !== '' || url.hash !== '') throw invalid('should have no query')
  const [username, token] = [decoded(url.username), decoded(url.password)]
  const isSsh = url.protocol === 'ssh:'
  if (isSsh && token !== '') throw invalid('should not contain a password: SSH uses a key')
  if (!isSsh) url.username = ''
  else if (!/^[A-Za-z0-9_.-]{1,64}$/.test(username)) throw invalid('should name a user, such as git@')
  url.password = ''
  return { url: url.href, username: username || 'git', token: token || undefined }
}

export const isOverSsh = ({ url }: { readonly url: string }): boolean => url.startsWith('ssh:')

export const tokenPurpose = (projectId: string): string => `git-token ${projectId}`
export const keyPurpose = (projectId: string): string => `git-key ${projectId}`

const PROVIDERS: Readonly<Record<string, HostKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
}

/** Its name at the host: `owner/name`. */
export const repositoryOf = ({ url }: { readonly url: string }): string =>
  decoded(new URL(url).pathname).replace(/^\/+|\/+$|\.git\/?$/g, '')

/** Undefined for a host of which nothing is known but that it speaks git. */
export const hostKindOf = ({ url, host }: Pick<GitSource, 'url' | 'host'>): HostKind | undefined =>
  host ?? PROVIDERS[new URL(url).hostname]

const COMMITS: Readonly<Record<HostKind, string>> = {
  github: 'commit',
  gitea: 'commit',
  gitlab: '-/commit',
  bitbucket: 'commits',
}

/** Where the host shows a commit; undefined where nothing is known of its pages. */
export function commitUrlOf(source: Pick<GitSource, 'url' | 'host'>, oid: string): string | undefined {
  const kind = hostKindOf(source)
  if (kind === undefined) return undefined
  const { origin, hostname } = new URL(source.url)
  return `${isOverSsh(source) ? `https://${hostname}` : origin}/${repositoryOf(source)}/${COMMITS[kind]}/${oid}`
}

/** What is told of a repository with each deployment from it. */
export function metaOfSource({ url, host }: Pick<GitSource, 'url' | 'host'>): Record<string, string> {
  const { hostname, pathname } = new URL(url)
  const parts = pathname.replace(/^\/+|\/+$|\.git\/?$/g, '').split('/')
  const [repo = '', org = ''] = [parts.at(-1), parts.slice(0, -1).join('/')]
  const shared = { gitRepo: `${org}/${repo}`, gitHost: hostname }
  switch (hostKindOf({ url, host })) {
    case 'github':
      return { ...shared, gitProvider: 'github', githubOrg: org, githubRepo: repo, githubDeployment: '1' }
    case 'gitlab':
      return {
        ...shared,
        gitProvider: 'gitlab',
        gitlabProjectNamespace: org,
        gitlabProjectPath: repo,
        gitlabDeployment: '1',
      }
    case 'bitbucket':
      return {
        ...shared,
        gitProvider: 'bitbucket',
        bitbucketRepoOwner: org,
        bitbucketRepoSlug: repo,
        bitbucketDeployment: '1',
      }
    default:
      return { ...shared, gitProvider: 'git' }
  }
}
