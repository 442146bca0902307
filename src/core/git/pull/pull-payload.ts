import { invalidRequest } from '#contract/errors.ts'
import type { PullEvent } from './pull.ts'

/** Pull requests in the words of each host, whether it calls or is asked. */

export type Json = Readonly<Record<string, unknown>>
export type ReadPull = (payload: Json) => PullEvent | undefined

export const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const ownerOf = (fullName: unknown): string => text(fullName).split('/').slice(0, -1).join('/')

const GITHUB: Readonly<Record<string, PullEvent['action']>> = {
  opened: 'open',
  synchronize: 'open',
  synchronized: 'open',
  reopened: 'reopen',
  closed: 'close',
}

/** What GitHub, Gitea and Forgejo call an address with. */
export function pullOfGithubEvent(payload: Json): PullEvent | undefined {
  const action = GITHUB[text(payload.action)]
  return action && pullOfGithub(object(payload.pull_request), action)
}

/** As they list it, too. */
export function pullOfGithub(pull: Json, action: PullEvent['action']): PullEvent {
  const [head, base] = [object(pull.head), object(pull.base)]
  const [from, to] = [object(head.repo), object(base.repo)]
  const number = Number(pull.number)
  const ref = `refs/pull/${number}/head`
  return {
    ...{ action, number, ref, fetch: { ref } },
    title: text(pull.title),
    url: text(pull.html_url) || null,
    branch: text(head.ref),
    commit: text(head.sha),
    // Of a fork that was deleted nothing is told.
    fork: from.id === undefined || from.id !== to.id,
    from: ownerOf(from.full_name) || 'fork',
  }
}

const GITLAB: Readonly<Record<string, PullEvent['action']>> = {
  open: 'open',
  update: 'open',
  reopen: 'reopen',
  close: 'close',
  merge: 'close',
}

export function pullOfGitlabEvent(payload: Json): PullEvent | undefined {
  const pull = object(payload.object_attributes)
  const action = GITLAB[text(pull.action)]
  if (action === undefined) return undefined
  const number = Number(pull.iid)
  const ref = `refs/merge-requests/${number}/head`
  return {
    ...{ action, number, ref, fetch: { ref } },
    title: text(pull.title),
    url: text(pull.url) || null,
    branch: text(pull.source_branch),
    commit: text(object(pull.last_commit).id),
    fork: typeof pull.source_project_id !== 'number' || pull.source_project_id !== pull.target_project_id,
    from: ownerOf(object(pull.source).path_with_namespace) || 'fork',
  }
}

/** As GitLab lists it. The fork is told by its id alone, so whoever asks has to find out whose it is. */
export function pullOfGitlab(pull: Json, source: string): PullEvent {
  const number = Number(pull.iid)
  const ref = `refs/merge-requests/${number}/head`
  return {
    ...{ action: 'open', number, ref, fetch: { ref } },
    title: text(pull.title),
    url: text(pull.web_url) || null,
    branch: text(pull.source_branch),
    commit: text(pull.sha),
    fork: typeof pull.source_project_id !== 'number' || pull.source_project_id !== pull.target_project_id,
    from: ownerOf(source) || 'fork',
  }
}

/** Here the repository has no ref of its own for a pull request: its commits are in the fork alone. */
export function pullOfBitbucket(pull: Json, action: PullEvent['action']): PullEvent {
  const [source, destination] = [object(pull.source), object(pull.destination)]
  const branch = text(object(source.branch).name)
  const from = text(object(source.repository).full_name)
  const number = Number(pull.id)
  return {
    ...{ action, number, branch, title: text(pull.title) },
    url: text(object(object(pull.links).html).href) || null,
    commit: text(object(source.commit).hash),
    fork: from === '' || from !== text(object(destination.repository).full_name),
    from: ownerOf(from) || 'fork',
    ref: `refs/pull-requests/${number}/from`,
    fetch: { ref: `refs/heads/${branch}`, ...(from === '' ? {} : { repository: from }) },
  }
}

const MAX_TITLE = 300
const BRANCH = /^[^\s\p{Cc}:]{1,250}$/u

/** Nothing of it goes further before this has looked at it: undefined is what no host says of one that can be deployed. */
export function soundPull(event: PullEvent): PullEvent | undefined {
  const { number, branch, commit, from, url } = event
  const isSound =
    Number.isSafeInteger(number) &&
    number > 0 &&
    BRANCH.test(branch) &&
    BRANCH.test(from) &&
    /^[0-9a-f]{7,64}$/.test(commit)
  if (!isSound) return undefined
  return {
    ...event,
    title: event.title.slice(0, MAX_TITLE),
    url: url !== null && url.length < 1000 && /^https?:\/\//.test(url) ? url : null,
  }
}

export function checkedPull(event: PullEvent): PullEvent {
  const sound = soundPull(event)
  if (!sound) throw invalidRequest('the pull request does not have the format of its host')
  return sound
}
