import { createHash, X509Certificate } from 'node:crypto'
import { DAY, HOUR, MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Outbound } from '#core/ports/outbound.ts'
import { certificateId, encodeRequest } from './ocsp-request.ts'
import { OcspFailure, readResponse } from './ocsp-response.ts'

interface StapleOptions {
  readonly outbound: Pick<Outbound, 'post'>
  readonly clock: Clock
  readonly log: Log
  /** How many certificates are known at once. The least recently used go first. */
  readonly max?: number
}

/** What authorities say of the certificates that we serve, for those who connect. */
export interface Staples {
  /**
   * The response for a certificate, at once, if there is one that holds. If there is none, or the one there is grows
   * old, it is asked for in the background.
   */
  find(certificate: Buffer, issuer: Buffer | null): Buffer | undefined
  /** Resolves once nothing is being asked for. */
  settled(): Promise<void>
}

interface Entry {
  /** Where to ask; undefined when nobody can be asked. */
  readonly url: string | undefined
  response?: Buffer
  until: number
  askAt: number
  failures: number
}

const AT_ONCE = 4
const TIMEOUT_MS = 10_000

export function createStaples({ outbound, clock, log, max = 1000 }: StapleOptions): Staples {
  const entries = new Map<string, Entry>()
  const running = new Set<Promise<void>>()

  function entryFor(certificate: Buffer): Entry {
    const key = createHash('sha256').update(certificate).digest('base64')
    const entry = entries.get(key) ?? {
      url: responderOf(certificate),
      until: 0,
      askAt: 0,
      failures: 0,
    }
    entries.delete(key)
    entries.set(key, entry)
    const [oldest] = entries.keys()
    if (entries.size > max && oldest !== undefined) entries.delete(oldest)
    return entry
  }

  async function ask(url: string, certificate: Buffer, issuer: Buffer): Promise<[Buffer, number]> {
    const id = certificateId(certificate, issuer)
    const headers = { 'content-type': 'application/ocsp-request', accept: 'application/ocsp-response' }
    const { status, bytes } = await outbound.post({
      url,
      headers,
      body: encodeRequest(id),
      timeoutMs: TIMEOUT_MS,
    })
    if (status !== 200) throw new OcspFailure(`the responder answered with status ${status}`)
    return [bytes, readResponse(bytes, id, issuer, clock.now())]
  }

  async function refresh(entry: Entry, url: string, certificate: Buffer, issuer: Buffer): Promise<void> {
    try {
      const [response, until] = await ask(url, certificate, issuer)
      Object.assign(entry, { response, until, failures: 0 })
      const left = until - clock.now()
      entry.askAt = clock.monotonic() + Math.min(DAY, Math.max(MINUTE, left / 2))
    } catch (error) {
      entry.failures++
      entry.askAt = clock.monotonic() + Math.min(HOUR, MINUTE * 2 ** Math.min(entry.failures - 1, 10))
      log.debug({ err: error, url }, 'no word from the authority about a certificate')
    }
  }

  return {
    find(certificate, issuer) {
      const entry = entryFor(certificate)
      const { url } = entry
      if (url === undefined || issuer === null) return undefined
      if (clock.monotonic() >= entry.askAt && running.size < AT_ONCE) {
        // Nobody else asks meanwhile.
        entry.askAt = Number.POSITIVE_INFINITY
        const asked = refresh(entry, url, certificate, issuer).finally(() => running.delete(asked))
        running.add(asked)
      }
      return clock.now() < entry.until ? entry.response : undefined
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** Where the authority of a certificate says more about it, if it does. */
function responderOf(certificate: Buffer): string | undefined {
  const { infoAccess } = new X509Certificate(certificate).toLegacyObject()
  const url = infoAccess?.['OCSP - URI']?.[0]
  return url !== undefined && /^https?:\/\//i.test(url) && url.length <= 2000 ? url : undefined
}
