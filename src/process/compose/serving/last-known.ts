import { join } from 'node:path'
import { createLastKnown } from '#adapters/last-known-sqlite/last-known.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { LastKnown } from '#core/ports/last-known.ts'
import type { Site } from '#core/site/site.ts'
import type { Config } from '../../../config/config.ts'
import type { Parts } from '../parts.ts'

/** How often it is looked whether a database that was found away is back. Nobody else asks it for what is known here. */
const LOOK_MS = 500

/** What a serving process needs to serve sites. */
type ServingParts = Parts & {
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
  const reader = new Reader(sharingWildcards(known), {
    check: parts.checkHealth,
    onAway: () => log.warn({}, 'the database is unavailable: serving the last known state'),
  })
  const { certificates, hosts, domains, settings, revalidations } = stores
  const sameSite = createSameSite()
  return {
    ...parts,
    bus: {
      ...parts.bus,
      // What was looked up meanwhile may be kept by whoever asked, and changes of it were told in vain.
      onGap(listener) {
        const end = parts.bus.onGap?.(listener)
        const endOwn = reader.onBack(listener)
        return () => {
          end?.()
          endOwn()
        }
      },
    },
    sites: {
      ...parts.sites,
      find: (host) => reader.read('site', host, () => parts.sites.find(host), sameSite),
    },
    zones: { find: (name) => reader.read('zone', name, () => parts.zones.find(name)) },
    stores: {
      ...stores,
      settings: {
        ...settings,
        get: (key) => reader.read('setting', key, () => settings.get(key)),
        // Who makes a value has found none before, and does not ask again.
        async ensure(key, value) {
          const ensured = await settings.ensure(key, value)
          known.put('setting', key, ensured)
          return ensured
        },
        async set(key, value) {
          await settings.set(key, value)
          known.put('setting', key, value)
        },
      },
      hosts: { ...hosts, holder: (host) => reader.read('holder', host, () => hosts.holder(host)) },
      certificates: {
        ...certificates,
        forHost: async (host) =>
          (await reader.read('certificates', host, () => certificates.forHost(host))) ?? [],
      },
      revalidations: {
        ...revalidations,
        of: async (id) => (await reader.read('revalidations', id, () => revalidations.of(id))) ?? [],
      },
      domains: {
        ...domains,
        verifiedCovering: (host) => reader.read('covering', host, () => domains.verifiedCovering(host)),
      },
    },
    onCaughtUp: (listener) => reader.onCaughtUp(listener),
    async close() {
      reader.close()
      known.close()
      await parts.close()
    },
  }
}

/** Anybody can make up names that a wildcard stands for: what they show is remembered once for all of them. */
function sharingWildcards(known: LastKnown): LastKnown {
  const sameSite = createSameSite()
  return {
    put(kind, key, value) {
      const wildcard = kind === 'site' ? (value as Site | undefined)?.wildcard : undefined
      if (wildcard === undefined) return known.put(kind, key, value)
      const site = { ...(value as Site), host: wildcard }
      if (!sameSite(wildcard, site)) known.put(kind, wildcard, site)
      known.put(kind, key, { shownBy: wildcard })
    },
    get(kind, key) {
      const found = known.get(kind, key)
      if (kind !== 'site' || typeof found !== 'object' || found === null || !('shownBy' in found))
        return found
      const site = known.get(kind, found.shownBy as string) as Site | undefined
      return site && { ...site, host: key }
    },
    close: () => known.close(),
  }
}

interface ReaderOptions {
  /** Rejects while the database is away. */
  readonly check: () => Promise<void>
  readonly onAway: () => void
}

class Reader {
  readonly #known: LastKnown
  readonly #options: ReaderOptions
  #isAway = false
  #look: NodeJS.Timeout | undefined
  readonly #stale = new Set<string>()
  readonly #listeners: ((host: string) => void)[] = []
  readonly #whenBack = new Set<() => void>()
  /** Whether it was asked for anything else than sites while the database was away. */
  #wasAsked = false

  constructor(known: LastKnown, options: ReaderOptions) {
    this.#known = known
    this.#options = options
  }

  onCaughtUp(listener: (host: string) => void): void {
    this.#listeners.push(listener)
  }

  /** Called when the database is back, if anything else than sites was asked for without it. */
  onBack(listener: () => void): () => void {
    this.#whenBack.add(listener)
    return () => this.#whenBack.delete(listener)
  }

  /** `isSame`: nothing has to be remembered anew. */
  async read<T>(
    kind: string,
    key: string,
    ask: () => Promise<T | undefined>,
    isSame: (key: string, value: T | undefined) => boolean = () => false,
  ): Promise<T | undefined> {
    if (this.#isAway) {
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
      this.#becomeAway()
      const found = this.#fromKnown<T>(kind, key)
      if (found === undefined) throw error
      return found
    }
  }

  #fromKnown<T>(kind: string, key: string): T | undefined {
    const found = this.#known.get(kind, key) as T | undefined
    if (found !== undefined && kind === 'site') this.#stale.add(key)
    else if (kind !== 'site') this.#wasAsked = true
    return found
  }

  close(): void {
    clearTimeout(this.#look)
  }

  #becomeAway(): void {
    if (this.#isAway) return
    this.#isAway = true
    this.#options.onAway()
    this.#lookSoon()
  }

  /** A site that is answered from memory asks for nothing, and would stay as it was once known. */
  #lookSoon(): void {
    this.#look = setTimeout(() => {
      this.#options.check().then(
        () => this.#isBack(),
        () => this.#isAway && this.#lookSoon(),
      )
    }, LOOK_MS)
    this.#look.unref()
  }

  #isBack(): void {
    if (!this.#isAway) return
    this.#isAway = false
    clearTimeout(this.#look)
    for (const host of this.#stale) for (const listener of this.#listeners) listener(host)
    this.#stale.clear()
    if (!this.#wasAsked) return
    this.#wasAsked = false
    for (const listener of this.#whenBack) listener()
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
