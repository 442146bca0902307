import { lookup } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { withoutBrackets } from '#contract/address-in-url.ts'
import type { Allows } from '#core/outbound/allowed-addresses.ts'
import { guardedLookup, type LookUpAll } from '#core/outbound/guarded-lookup.ts'
import { portOf } from '#core/outbound/port-of.ts'
import { isPublicAddress } from '#core/outbound/public-address.ts'
import {
  type Outbound,
  type OutboundAnswer,
  OutboundFailure,
  type OutboundStream,
} from '#core/ports/outbound.ts'

interface OutboundOptions {
  /** Which addresses requests may be sent to; by default those of the public internet alone. */
  readonly allows?: Allows
  /** Looks names up; absent: as the system does. */
  readonly resolve?: LookUpAll
}

/** What is read of an answer; the rest is nobody's business. */
const MAX_ANSWER = 8 * 1024
/** Without a bound for each host: one account could use it up at a host that others are sent something at, too. */
const AGENT_OPTIONS = { keepAlive: true, maxFreeSockets: 2, timeout: 30_000 } as const

export function createOutbound({
  allows = isPublicAddress,
  resolve = lookup,
}: OutboundOptions = {}): Outbound {
  const agents = { 'http:': new HttpAgent(AGENT_OPTIONS), 'https:': new HttpsAgent(AGENT_OPTIONS) }

  return {
    post: (request) => send({ ...request, method: 'POST' }),
    send,
    open,
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }

  async function send({
    maxBytes = MAX_ANSWER,
    ...request
  }: Parameters<Outbound['send']>[0]): Promise<OutboundAnswer> {
    const { body, ...head } = await open(request)
    const bytes = await beginningOf(body, maxBytes).catch((error: unknown) => {
      throw failureOf(error as NodeJS.ErrnoException, new URL(request.url).hostname)
    })
    return { ...head, bytes, text: bytes.toString('utf8') }
  }

  async function open({
    method,
    url,
    headers,
    body,
    timeoutMs,
    signal,
  }: Parameters<Outbound['open']>[0]): Promise<OutboundStream> {
    const target = URL.parse(url)
    if (target === null || (target.protocol !== 'http:' && target.protocol !== 'https:'))
      throw new OutboundFailure('connection', 'the address is not one of http or https')
    const address = withoutBrackets(target.hostname)
    // A name is checked once it is resolved; an address is not resolved.
    const port = portOf(target)
    if (isIP(address) !== 0 && !allows(address, port)) throw privateAddress(address)
    const { protocol } = target
    const timeout = AbortSignal.timeout(timeoutMs)
    const send = protocol === 'https:' ? httpsRequest : httpRequest
    const request = send(target, {
      method,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: agents[protocol],
      lookup: guardedLookup(resolve, (resolved) => allows(resolved, port)),
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    })
    try {
      const response = await new Promise<IncomingMessage>((settle, reject) => {
        request.once('error', reject)
        request.once('response', settle)
        request.end(body)
      })
      return {
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: response,
      }
    } catch (error) {
      throw failureOf(error as NodeJS.ErrnoException, target.hostname)
    }
  }
}

async function beginningOf(response: Readable, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, maxBytes - size))
    size += part.length
    if (size >= maxBytes) break
  }
  return Buffer.concat(parts)
}

const privateAddress = (host: string) =>
  new OutboundFailure('private-address', `${host} is not an address of the public internet`)

function failureOf(error: NodeJS.ErrnoException, host: string): OutboundFailure {
  const isLate = error.name === 'TimeoutError' || (error.cause as Error | undefined)?.name === 'TimeoutError'
  if (isLate) return new OutboundFailure('timeout', `${host} did not answer in time`)
  switch (error.code) {
    case 'EPRIVATE':
      return privateAddress(host)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ENODATA':
      return new OutboundFailure('unknown-host', `${host} could not be resolved`)
    default:
      return new OutboundFailure('connection', error.code ?? error.message, { cause: error })
  }
}
