import type { IncomingHttpHeaders } from 'node:http'
import type { PullEvent } from '#core/git/pull.ts'
import { malformed } from '../body.ts'

type Json = Readonly<Record<string, unknown>>
type ReadPull = (payload: Json) => PullEvent | undefined

/** How each host tells that a delivery is about a pull request, and of what. Gitea and Forgejo speak as GitHub does. */
const HOSTS: readonly { readonly header: string; readonly event: RegExp; readonly read: ReadPull }[] = [
  { header: 'x-forgejo-event', event: /^pull_request$/, read: fromGithub },
  { header: 'x-gitea-event', event: /^pull_request$/, read: fromGithub },
  { header: 'x-github-event', event: /^pull_request$/, read: fromGithub },
  { header: 'x-gitlab-event', event: /^Merge Request Hook$/i, read: fromGitlab },
]

const BITBUCKET: Readonly<Record<string, PullEvent['action']>> = {
  'pullrequest:created': 'open',
  'pullrequest:updated': 'open',
  'pullrequest:fulfilled': 'close',
  'pullrequest:rejected': 'close',
}

/** Undefined for a delivery that is about no pull request. */
export function pullReader(
  headers: IncomingHttpHeaders,
): ((body: Buffer) => PullEvent | undefined) | undefined {
  const read = readerOf((name) => String(headers[name] ?? '').trim())
  return read && ((body) => checked(read(parse(body))))
}

function readerOf(header: (name: string) => string): ReadPull | undefined {
  const action = BITBUCKET[header('x-event-key')]
  if (action !== undefined) return (payload) => fromBitbucket(payload, action)
  return HOSTS.find(({ header: name, event }) => event.test(header(name)))?.read
}

function parse(body: Buffer): Json {
  const text = body.toString('utf8')
  try {
    // GitHub can be told to send it as a form.
    const value: unknown = JSON.parse(
      text.startsWith('payload=') ? (new URLSearchParams(text).get('payload') ?? '') : text,
    )
    return object(value)
  } catch {
    throw malformed('the body is no JSON')
  }
}

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const ownerOf = (fullName: unknown): string => text(fullName).split('/').slice(0, -1).join('/')

const GITHUB: Readonly<Record<string, PullEvent['action']>> = {
  opened: 'open',
  synchronize: 'open',
  synchronized: 'open',
  reopened: 'reopen',
  closed: 'close',
}

function fromGithub(payload: Json): PullEvent | undefined {
  const action = GITHUB[text(payload.action)]
  const pull = object(payload.pull_request)
  const [head, base] = [object(pull.head), object(pull.base)]
  const [from, to] = [object(head.repo), object(base.repo)]
  if (action === undefined) return undefined
  const number = Number(pull.number ?? payload.number)
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

function fromGitlab(payload: Json): PullEvent | undefined {
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

/** Here the repository has no ref of its own for a pull request: its commits are in the fork alone. */
function fromBitbucket(payload: Json, action: PullEvent['action']): PullEvent {
  const pull = object(payload.pullrequest)
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

function checked(event: PullEvent | undefined): PullEvent | undefined {
  if (event === undefined) return undefined
  const { number, branch, commit, from, url } = event
  const isSound =
    Number.isSafeInteger(number) &&
    number > 0 &&
    BRANCH.test(branch) &&
    BRANCH.test(from) &&
    /^[0-9a-f]{7,64}$/.test(commit)
  if (!isSound) throw malformed('the pull request is not described as its host describes them')
  return {
    ...event,
    title: event.title.slice(0, MAX_TITLE),
    url: url !== null && url.length < 1000 && /^https?:\/\//.test(url) ? url : null,
  }
}
