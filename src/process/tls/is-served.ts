import { ORIGINS } from '#contract/origins.ts'
import { SECOND } from '#contract/time.ts'
import type { HostStore } from '#core/alias/host-store.ts'
import type { Config } from '../../config/config.ts'

const KNOWN_MS = 10 * SECOND
const MAX_KNOWN = 2000

/** Whether a name is one of this installation: a deployment's, an alias, a domain of a project, or the API's own. */
export function createIsServed(
  { domain, apiHosts }: Pick<Config, 'domain' | 'apiHosts'>,
  hosts: Pick<HostStore, 'holder'>,
  now: () => number = () => performance.now(),
): (name: string) => Promise<boolean> {
  const api = new Set([...apiHosts, ...ORIGINS.map((origin) => `api-${origin}.${domain}`)])
  const known = new Map<string, { readonly served: boolean; readonly until: number }>()

  async function lookUp(name: string): Promise<boolean> {
    const parent = name.slice(name.indexOf('.') + 1)
    return (await hosts.holder(name)) !== undefined || (await hosts.holder(`*.${parent}`)) !== undefined
  }

  return async (name) => {
    // Every machine's own loopback, whatever else it is called here.
    if (name === 'localhost' || !name.includes('.')) return false
    if (api.has(name)) return true
    const before = known.get(name)
    if (before && before.until > now()) return before.served
    const served = await lookUp(name)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(name, { served, until: now() + KNOWN_MS })
    return served
  }
}
