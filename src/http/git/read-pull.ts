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
import { excessOf } from '#core/json-shape.ts'
import { parseJsonInSlices } from '#core/json-slices.ts'

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
): ((payload: Json) => PullEvent | undefined) | undefined {
  const read = readerOf((name) => String(headers[name] ?? '').trim())
  return (
    read &&
    ((payload) => {
      const event = read(payload)
      return event && checkedPull(event)
    })
  )
}

function readerOf(header: (name: string) => string): ReadPull | undefined {
  const action = BITBUCKET[header('x-event-key')]
  if (action !== undefined) return (payload) => pullOfBitbucket(object(payload.pullrequest), action)
  return HOSTS.find(({ header: name, event }) => event.test(header(name)))?.read
}

/** Only lists are larger, such as that of the commits of a push, and those are parsed piece by piece. */
const LARGEST_PIECE = 2 * 1024 * 1024

function parsePiece(text: string): unknown {
  if (text.length > LARGEST_PIECE || excessOf(text) !== undefined)
    throw new TypeError('no host sends anything like it')
  return JSON.parse(text)
}

/** Whoever has a project knows its secret, and can sign whatever they like. */
export async function parsePayload(body: Buffer): Promise<Json> {
  try {
    return object(await parseJsonInSlices(ofForm(body), parsePiece))
  } catch {
    throw invalidRequest('the body is not JSON')
  }
}

/** GitHub can be told to send it as a form. */
function ofForm(body: Buffer): Buffer {
  if (body.toString('latin1', 0, FORM.length) !== FORM) return body
  if (body.length > LARGEST_PIECE) throw new TypeError('no host sends so much as a form')
  return Buffer.from(new URLSearchParams(body.toString('utf8')).get('payload') ?? '')
}
const FORM = 'payload='
