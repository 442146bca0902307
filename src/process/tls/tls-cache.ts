import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { MINUTE } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { type Credentials, TLS_CONTEXT } from '#listener/listener-tls.ts'

export interface CertificatePems {
  /** The certificate, followed by those between it and its authority. */
  readonly cert: string
  readonly key: string
}

interface CredentialCacheOptions {
  readonly clock: Clock
  readonly log: Log
  /** How many certificates are kept, and how many keys that have none. The least recently used go first. */
  readonly max: number
  /** What is kept is asked for anew after this long, even if it could live longer. */
  readonly maxAgeMs?: number
}

interface CredentialCache {
  /**
   * What `load` gives for this key, at once where it is known. However many ask, `load` runs once at a time
   * for a key. In the last third of a certificate's life it is renewed while it is still served.
   */
  get(key: string, load: Load): Credentials | undefined | Promise<Credentials | undefined>
  forget(key: string): void
  /** All keys that end so. */
  forgetAll(end: string): void
}

type Load = () => Promise<CertificatePems | undefined>

interface Entry {
  readonly credentials: Credentials
  readonly expiresAt: number
  /** In the last third of its life, by the clock that certificates go by. */
  readonly renewAt: number
  /** By the monotonic clock: not before, and at the latest. */
  notBefore: number
  lookAt: number
}

const RETRY_MS = MINUTE
/** Short, as a name may become ours at any moment; long enough that asking for it in vain is cheap. */
const ABSENT_MS = 10_000

export function createCredentialCache(options: CredentialCacheOptions): CredentialCache {
  const { clock, log, max, maxAgeMs = Number.POSITIVE_INFINITY } = options
  const entries = new Map<string, Entry>()
  /** Keys without a certificate, with the time until which that is believed. Apart, so that a flood of
   *  unknown names cannot push out the known ones. */
  const absent = new Map<string, number>()
  const pending = new Map<string, Promise<Credentials | undefined>>()

  function remember<T>(map: Map<string, T>, key: string, value: T): void {
    map.delete(key)
    map.set(key, value)
    if (map.size <= max) return
    const [oldest] = map.keys()
    if (oldest !== undefined) map.delete(oldest)
  }

  function accept(key: string, pems: CertificatePems | undefined): Credentials | undefined {
    const now = clock.now()
    if (!pems) {
      entries.delete(key)
      remember(absent, key, clock.monotonic() + ABSENT_MS)
      return undefined
    }
    absent.delete(key)
    const known = entries.get(key)?.credentials
    const credentials = known?.cert === pems.cert && known.key === pems.key ? known : toCredentials(pems)
    const { validFromDate, validToDate } = new X509Certificate(pems.cert)
    const [from, to] = [validFromDate.getTime(), validToDate.getTime()]
    remember(entries, key, {
      credentials,
      // What is given to us expired is still better than nothing, but is not kept for long.
      expiresAt: Math.max(to, now + RETRY_MS),
      renewAt: to - (to - from) / 3,
      notBefore: clock.monotonic() + RETRY_MS,
      lookAt: clock.monotonic() + maxAgeMs,
    })
    return credentials
  }

  function start(key: string, load: Load): Promise<Credentials | undefined> {
    const running = pending.get(key)
    if (running) return running
    const isCurrent = () => pending.get(key) === attempt
    const attempt: Promise<Credentials | undefined> = load()
      // Forgotten while it was loaded: good for those who have waited for it, but not to be kept.
      .then((pems) => (isCurrent() ? accept(key, pems) : pems && toCredentials(pems)))
      .finally(() => {
        if (isCurrent()) pending.delete(key)
      })
    pending.set(key, attempt)
    return attempt
  }

  return {
    get(key, load) {
      const now = clock.now()
      const entry = entries.get(key)
      if (!entry || now >= entry.expiresAt) {
        const until = absent.get(key)
        return until !== undefined && clock.monotonic() < until ? undefined : start(key, load)
      }
      const monotonic = clock.monotonic()
      const isOld = now >= entry.renewAt || monotonic >= entry.lookAt
      if (isOld && monotonic >= entry.notBefore) {
        entry.notBefore = monotonic + RETRY_MS
        start(key, load).catch((error: unknown) =>
          log.warn({ err: error, certificate: key }, 'a certificate was not renewed; serving the old one'),
        )
      }
      remember(entries, key, entry)
      return entry.credentials
    },
    forget(key) {
      entries.delete(key)
      absent.delete(key)
      pending.delete(key)
    },
    forgetAll(end) {
      for (const map of [entries, absent, pending])
        for (const key of map.keys()) if (key.endsWith(end)) map.delete(key)
    },
  }
}

const toCredentials = ({ cert, key }: CertificatePems): Credentials => ({
  cert,
  key,
  context: createSecureContext({ ...TLS_CONTEXT, cert, key }),
})
