import { execFile } from 'node:child_process'
import { SECOND } from '#contract/time.ts'
import type { Env } from '../output/output.ts'

const TIMEOUT = 3 * SECOND
const MOST = 64 * 1024
const MAX_TEXT = 200

/**
 * What git knows of the folder, as notes to find a deployment by. The names are those that the platform knows:
 * a domain of a branch follows `gitBranch`, and builds are told all of them. Nothing where there is no git, or
 * no commit yet.
 */
export async function readGitNotes(folder: string, env: Env): Promise<Record<string, string>> {
  const git = (...line: string[]) => runGit(folder, env, line)
  const [commit, branch, changed] = await Promise.all([
    git('log', '-1', '--no-show-signature', '--format=%H%x00%an%x00%s'),
    git('symbolic-ref', '--quiet', '--short', 'HEAD'),
    hasOwnFilters(git).then((has) =>
      has ? undefined : git('status', '--porcelain', '--ignore-submodules', '--', '.'),
    ),
  ])
  const [sha = '', author = '', message = ''] = commit?.trimEnd().split('\0') ?? []
  if (!/^[0-9a-f]{40,64}$/.test(sha)) return {}
  const notes = {
    gitBranch: branch?.trim() || branchInCi(env),
    gitCommitSha: sha,
    gitCommitMessage: message,
    gitCommitAuthorName: author,
    gitDirty: changed === undefined ? '' : changed === '' ? '0' : '1',
  }
  return Object.fromEntries(
    Object.entries(notes)
      .filter(([, text]) => text !== '')
      .map(([key, text]) => [key, [...text].slice(0, MAX_TEXT).join('')]),
  )
}

/** Checkouts of build servers are of a commit rather than of a branch; they say which it was. */
const branchInCi = (env: Env): string =>
  env.GITHUB_HEAD_REF ||
  (env.GITHUB_REF_TYPE === 'branch' && env.GITHUB_REF_NAME) ||
  env.CI_COMMIT_BRANCH ||
  env.BITBUCKET_BRANCH ||
  ''

type Git = (...line: string[]) => Promise<string | undefined>

/**
 * Whether the repository, rather than the person, says that files pass through a program before they are compared: nothing
 * keeps git from starting it. The setting on the line is there for something to be found, because git fails otherwise.
 */
async function hasOwnFilters(git: Git): Promise<boolean> {
  const found = await git(
    ...['-c', 'filter.none.clean=', 'config', '--show-scope', '-z', '--name-only'],
    // Nothing is said of what comes after: a byte that is not UTF-8 is no character to `.`, and a filter may have it in its name.
    ...['--get-regexp', '^filter\\.'],
  )
  const scopes = found?.split('\0').filter((_, at) => at % 2 === 0)
  return scopes === undefined || scopes.some((scope) => scope === 'local' || scope === 'worktree')
}

/**
 * Settings of a repository that came from elsewhere can name programs. None is started: neither for what is watched and
 * hooked, nor to fetch an object that is missing; and no folder of the deployment is taken for a repository.
 */
const SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit']
const VARIABLES = {
  ...{ GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C.UTF-8' },
  ...{ GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' },
}

/** What git prints; undefined when it is not there, fails or takes long. */
const runGit = (folder: string, env: Env, line: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(
      'git',
      [...SETTINGS.flatMap((setting) => ['-c', setting]), '--no-pager', ...line],
      {
        cwd: folder,
        env: { ...env, ...VARIABLES },
        timeout: TIMEOUT,
        maxBuffer: MOST,
        windowsHide: true,
      },
      (error, stdout) =>
        // Too much of it still is an answer: that something changed.
        resolve(error === null || isTooMuch(error) ? stdout : undefined),
    )
  })

const isTooMuch = (error: Error): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
