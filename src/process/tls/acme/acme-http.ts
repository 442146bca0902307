import { senderOf } from '#core/access/sender.ts'
import { SourceShares } from '#core/access/source-shares.ts'
import { type ChallengeStore, HTTP_CHALLENGES } from '#core/certificate/challenge.ts'
import { type AnyRequest, type AnyResponse, isHttp2 } from '#core/http-message.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Handle } from '#listener/listener-request.ts'
import { hostOf } from '../../compose/serving/hosts.ts'

export interface HttpChallengeParts {
  readonly challenges: ChallengeStore
  readonly clock: Clock
  readonly log: Log
}

const TOKEN = /^[A-Za-z0-9_-]{20,128}$/
/** Whoever asks for made-up tokens costs a look into the database each: no more than so many at once, and a few of anybody. */
const MAX_LOOKING = { all: 50, source: 10, least: 3 }

/**
 * Answers authorities that look for a challenge of http-01, on every host and whatever that host shows: it may have
 * nothing yet, or show it to few. Requests for other challenges go on to the site, which may have its own.
 */
export function answerHttpChallenges({ challenges, clock, log }: HttpChallengeParts, next: Handle): Handle {
  const looking = new SourceShares(MAX_LOOKING)

  async function find(host: string, token: string): Promise<string | undefined> {
    try {
      const found = await challenges.find('http-01', host, clock.now())
      return found.find((each) => each.token === token)?.value
    } catch (err) {
      log.error({ err, host }, 'ACME challenges could not be looked up')
      return undefined
    }
  }

  return (req, res) => {
    const token = tokenOf(req)
    const over = token === undefined ? undefined : looking.take(senderOf(req).address, 1)
    if (token === undefined || over === undefined) return next(req, res)
    return find(hostOf(req), token)
      .finally(over)
      .then((value) => (value === undefined ? next(req, res) : answer(res, value)))
  }
}

function tokenOf({ method, url = '' }: AnyRequest): string | undefined {
  if (!url.startsWith(HTTP_CHALLENGES) || (method !== 'GET' && method !== 'HEAD')) return undefined
  const token = url.slice(HTTP_CHALLENGES.length)
  return TOKEN.test(token) ? token : undefined
}

function answer(res: AnyResponse, value: string): void {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': Buffer.byteLength(value),
    'cache-control': 'no-store',
  }
  if (isHttp2(res)) res.writeHead(200, headers).end(value)
  else res.writeHead(200, headers).end(value)
}
