import { encodeRawText } from '#core/routing/url/request-path.ts'
import type { Answer } from '../answer.ts'
import { refuse } from '../error/refusal.ts'
import { authorityOf, type Result, visitorOf } from '../exchange.ts'
import { DEFAULT_CACHING, siteHeaders } from '../file/file-answer.ts'
import type { Visit } from '../protection/visit.ts'
import { readTarget } from '../request/request-path.ts'

const PORT = /:\d{1,5}$/

/** Sends the visitors of a domain to another one, to the same port, path and query. */
export function domainRedirect({ site, exchange }: Visit): Result | undefined {
  const { redirect } = site
  if (redirect === undefined) return undefined
  if (readTarget(exchange.url) === undefined) return refuse('BAD_REQUEST')
  const [port = ''] = PORT.exec(authorityOf(exchange.req) ?? '') ?? []
  const { scheme } = visitorOf(exchange)
  const location = `${scheme}://${redirect.host}${port}${encodeRawText(exchange.url)}`
  const answer: Answer = {
    status: redirect.status,
    headers: [
      ...['location', location],
      ...['cache-control', DEFAULT_CACHING],
      ...siteHeaders(site),
      ...['content-length', '0'],
    ],
    body: undefined,
    source: 'redirect',
    entrypoint: location,
  }
  return answer
}
