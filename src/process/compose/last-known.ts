import { join } from 'node:path'
import { createLastKnown } from '#adapters/last-known-sqlite/last-known.ts'
import { SECOND } from '#contract/time.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { LastKnown } from '#core/ports/last-known.ts'
import type { Site } from '#core/site/site.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from './parts.ts'

/** After the database was found away, what is known here is answered without asking it again for so long. */
const AWAY_MS = 2 * SECOND

/** What a serving process needs to serve sites. */
export type ServingParts = Parts & {
  /** Tells of hosts that were answered for as they were once known, as soon as they can be looked up again. */
  onCaughtUp(listener: (host: string) => void): void
}

/**
 * What serving reads of a database on another machine is remembered on this one; while the database is away, what it
 * said last counts. A database on this machine is as good as the copy would be.
 */
export function withLastKnown(config: Pick<Config, 'dataDir' | 'databaseUrl'>, parts: Parts): ServingParts {
  if (config.databaseUrl === undefined) return { ...parts, onCaughtUp() {} }
  const { clock, log } = parts
  return rememberReads(parts, createLastKnown({ file: join(config.dataDir, 'last-known.db'), clock, log }))
}

export function rememberReads(parts: Parts, known: LastKnown): ServingParts {
  const { stores, log } = parts
  const reader = new Reader(known, () => log.warn({}, 'the database is away: what is known here is served'))
  const { certificates, hosts, domains, settings } = stores
  const sameSite = createSameSite()
  return {
    ...parts,
    sites: {
      ...parts.sites,
      find: (host) => reader.read('site', host, () => parts.sites.find(host), sameSite),
    },
    zones: { find: (name) => reader.read('zone', name, () => parts.zones.find(name)) },
    stores: {
      ...stores,
      settings: { ...settings, get: (key) => reader.read('setting', key, () => settings.get(key)) },
      hosts: { ...hosts, holder: (host) => reader.read('holder', host, () => hosts.holder(host)) },
      certificates: {
        ...certificates,
        forHost: async (host) =>
          (await reader.read('certificates', host, () => certificates.forHost(host))) ?? [],
      },
      domains: {
        ...domains,
        verifiedCovering: (host) => reader.read('covering', host, () => domains.verifiedCovering(host)),
      },
    },
    onCaughtUp: (listener) => reader.onCaughtUp(listener),
    async close() {
      known.close()
      await parts.close()
    },
  }
}

class Reader {
  readonly #known: LastKnown
  readonly #onAway: () => void
  #awayUntil = Number.NEGATIVE_INFINITY
  #isAway = false
  readonly #stale = new Set<string>()
  readonly #listeners: ((host: string) => void)[] = []

  constructor(known: LastKnown, onAway: () => void) {
    this.#known = known
    this.#onAway = onAway
  }

  onCaughtUp(listener: (host: string) => void): void {
    this.#listeners.push(listener)
  }

  /** `isSame`: nothing has to be remembered anew. */
  async read<T>(
    kind: string,
    key: string,
    ask: () => Promise<T | undefined>,
    isSame: (key: string, value: T | undefined) => boolean = () => false,
  ): Promise<T | undefined> {
    if (performance.now() < this.#awayUntil) {
      const found = this.#fromKnown<T>(kind, key)
      if (found !== undefined) return found
    }
    try {
      const value = await ask()
      this.#isBack()
      if (!isSame(key, value)) this.#known.put(kind, key, value)
      return value
    } catch (error) {
      if (!isUnavailable(error)) throw error
      this.#awayUntil = performance.now() + AWAY_MS
      if (!this.#isAway) this.#onAway()
      this.#isAway = true
      const found = this.#fromKnown<T>(kind, key)
      if (found === undefined) throw error
      return found
    }
  }

  #fromKnown<T>(kind: string, key: string): T | undefined {
    const found = this.#known.get(kind, key) as T | undefined
    if (found !== undefined && kind === 'site') this.#stale.add(key)
    return found
  }

  #isBack(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#awayUntil = Number.NEGATIVE_INFINITY
    for (const host of this.#stale) for (const listener of this.#listeners) listener(host)
    this.#stale.clear()
  }
}

const MAX_NAMES = 10_000

/** Deployments never change: of a site it is enough to compare what points to one. Writing all of it costs more. */
function createSameSite(): (host: string, site: Site | undefined) => boolean {
  const written = new Map<string, string>()
  return (host, site) => {
    if (site === undefined) {
      written.delete(host)
      return false
    }
    const { files, functions, routes, ...pointer } = site
    const text = JSON.stringify([pointer, files.size, functions.size, routes?.length])
    if (written.get(host) === text) return true
    if (written.size >= MAX_NAMES) written.clear()
    written.set(host, text)
    return false
  }
}
