import type { IncomingHttpHeaders } from 'node:http'
import { invalidRequest } from '#contract/errors.ts'
import type { PullEvent } from '#core/git/pull/pull.ts'
import {
  checkedPull,
  type Json,
  object,
  pullOfBitbucket,
  pullOfGithubEvent,
  pullOfGitlabEvent,
  type ReadPull,
} from '#core/git/pull/pull-payload.ts'

/** How each host tells that a delivery is about a pull request, and of what. Gitea and Forgejo speak as GitHub does. */
const HOSTS: readonly { readonly header: string; readonly event: RegExp; readonly read: ReadPull }[] = [
  { header: 'x-forgejo-event', event: /^pull_request$/, read: pullOfGithubEvent },
  { header: 'x-gitea-event', event: /^pull_request$/, read: pullOfGithubEvent },
  { header: 'x-github-event', event: /^pull_request$/, read: pullOfGithubEvent },
  { header: 'x-gitlab-event', event: /^Merge Request Hook$/i, read: pullOfGitlabEvent },
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
  return (
    read &&
    ((body) => {
      const event = read(parsePayload(body))
      return event && checkedPull(event)
    })
  )
}

function readerOf(header: (name: string) => string): ReadPull | undefined {
  const action = BITBUCKET[header('x-event-key')]
  if (action !== undefined) return (payload) => pullOfBitbucket(object(payload.pullrequest), action)
  return HOSTS.find(({ header: name, event }) => event.test(header(name)))?.read
}

export function parsePayload(body: Buffer): Json {
  const text = body.toString('utf8')
  try {
    // GitHub can be told to send it as a form.
    const value: unknown = JSON.parse(
      text.startsWith('payload=') ? (new URLSearchParams(text).get('payload') ?? '') : text,
    )
    return object(value)
  } catch {
    throw invalidRequest('the body is not JSON')
  }
}
