import { join } from 'node:path'
import { createLastKnown } from '#adapters/last-known-sqlite/last-known.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { LastKnown } from '#core/ports/last-known.ts'
import type { Config } from '../../../config/config.ts'
import type { Parts } from '../parts.ts'
import { OF_MADE_UP_NAMES, onceForAllNames } from './made-up-names.ts'

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
  const file = join(config.dataDir, 'last-known.db')
  return rememberReads(parts, createLastKnown({ ...{ file, clock, log }, firstToGo: OF_MADE_UP_NAMES }))
}

export function rememberReads(parts: Parts, known: LastKnown): ServingParts {
  const { stores, clock, log } = parts
  const remembered = onceForAllNames(known, { clock, bus: parts.bus })
  const reader = new Reader(remembered, {
    check: parts.checkHealth,
    onAway: () => log.warn({}, 'the database is unavailable: serving the last known state'),
  })
  const { certificates, hosts, domains, settings, revalidations } = stores
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
      find: (host) => reader.read('site', host, () => parts.sites.find(host)),
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
          // Of names that somebody makes up there are none, which is not worth remembering.
          (await reader.read('certificates', host, async () => {
            const found = await certificates.forHost(host)
            return found.length === 0 ? undefined : found
          })) ?? [],
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
      remembered.close()
      await parts.close()
    },
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

  async read<T>(kind: string, key: string, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#isAway) {
      const found = this.#fromKnown<T>(kind, key)
      if (found !== undefined) return found
    }
    try {
      const value = await ask()
      this.#isBack()
      this.#known.put(kind, key, value)
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
