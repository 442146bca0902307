import type { CaaRecord } from 'node:dns'
import { Resolver as DnsResolver } from 'node:dns/promises'
import { type Addresses, type Resolver, ResolverFailure } from '#core/ports/resolver.ts'

interface ResolverParts {
  /** `ip:port` each; the system's when undefined. */
  readonly servers: readonly string[] | undefined
  /** Milliseconds for one attempt with one server. */
  readonly tryMs?: number
  /** Milliseconds after which nobody waits any longer, however many servers there are. */
  readonly wholeMs?: number
}

const TRIES = 2

/** That there is no such name or no such record is an answer; so is that nothing can have such a name. */
const NOTHING: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME']

/** For how long others may believe that a name has no address. */
const NONE_TTL = 60

const hostName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const caaText = ({ critical, ...rest }: CaaRecord): string => {
  const [tag = '', value = ''] = Object.entries(rest).find(([key]) => key !== 'type') ?? []
  return `${critical} ${tag} "${value}"`
}

const addressesOf = (
  records: readonly { readonly address: string; readonly ttl: number }[] | undefined,
): Addresses =>
  records === undefined || records.length === 0
    ? { addresses: [], ttl: NONE_TTL }
    : {
        addresses: records.map(({ address }) => address),
        ttl: Math.min(...records.map(({ ttl }) => ttl)),
      }

/** Asks recursive DNS servers. */
export function createDnsResolver({ servers, tryMs = 2000, wholeMs = 6000 }: ResolverParts): Resolver {
  const dns = new DnsResolver({ timeout: tryMs, tries: TRIES })
  if (servers) dns.setServers(servers)

  /** Undefined when there is nothing of the kind. */
  async function ask<T>(name: string, query: () => Promise<T>): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), wholeMs)
    })
    try {
      return await Promise.race([query(), late])
    } catch (error) {
      if (NOTHING.includes((error as NodeJS.ErrnoException).code)) return undefined
      throw new ResolverFailure(`DNS did not answer for ${name}: ${(error as Error).message}`, {
        cause: error,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  const cname = async (name: string): Promise<readonly string[]> =>
    ((await ask(name, () => dns.resolveCname(name))) ?? []).map(hostName)

  return {
    cname,
    txt: async (name) =>
      ((await ask(name, () => dns.resolveTxt(name))) ?? []).map((strings) => strings.join('')),
    async ns(name) {
      const [elsewhere, servers] = await Promise.all([cname(name), ask(name, () => dns.resolveNs(name))])
      // A name that stands for another is not delegated: the servers are those of the other.
      return elsewhere.length > 0 ? [] : (servers ?? []).map(hostName)
    },
    a: async (name) => addressesOf(await ask(name, () => dns.resolve4(name, { ttl: true }))),
    aaaa: async (name) => addressesOf(await ask(name, () => dns.resolve6(name, { ttl: true }))),
    caa: async (name) => ((await ask(name, () => dns.resolveCaa(name))) ?? []).map(caaText),
  }
}
