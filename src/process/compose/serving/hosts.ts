import { ORIGINS, type Origin } from '#contract/origins.ts'
import type { AnyRequest } from '#core/http-message.ts'
import type { UpgradeHandler } from '#listener/listener-http1.ts'
import type { Handle } from '#listener/listener-request.ts'
import type { MachineWatch } from '../machine/machine-watch.ts'

/** The host a request is for, lower-case, without port; empty when an old client sent none. */
export function hostOf(req: AnyRequest): string {
  const given = (req.headers[':authority'] ?? req.headers.host ?? '') as string
  return withoutPort(given).toLowerCase()
}

const withoutPort = (host: string): string =>
  host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : host.replace(/:\d*$/, '').replace(/\.$/, '')

interface HostNames {
  readonly apiHosts: readonly string[]
  readonly domain: string
}

/** Whether a request is for the API rather than for a site. */
export function createIsForApi({ apiHosts, domain }: HostNames): (req: AnyRequest) => boolean {
  const names = new Set([...apiHosts, ...ORIGINS.map((origin) => `api-${origin}.${domain}`), ''])
  return (req) => names.has(hostOf(req))
}

interface HostSwitch extends HostNames {
  readonly api: Handle
  readonly sites: Handle
}

/** One listener serves the API and the sites; the Host header tells them apart. */
export function createHostSwitch({ api, sites, ...names }: HostSwitch): Handle {
  const isForApi = createIsForApi(names)
  return (req, res) => (isForApi(req) ? api : sites)(req, res)
}

/** Only sites speak other protocols than HTTP. */
export function upgradesOfSites(names: HostNames, upgrade: UpgradeHandler): UpgradeHandler {
  const isForApi = createIsForApi(names)
  return {
    accepts: (req) => !isForApi(req) && upgrade.accepts(req),
    handle: (req, socket, head) => upgrade.handle(req, socket, head),
  }
}

/**
 * Where a request is answered. In an installation that is in one place alone, `api-<origin>.<domain>` names the origin, and every
 * other name is the one this machine is; in one with several, DNS leads these names there, and this machine is where it is.
 */
export function createOriginOf(
  domain: string,
  here: Origin,
  { origins }: Pick<MachineWatch, 'origins'>,
): (host: string | undefined) => Origin {
  const named = new Map(ORIGINS.map((origin) => [`api-${origin}.${domain}`, origin]))
  return (host = '') => {
    const origin = named.get(withoutPort(host).toLowerCase())
    if (origin === undefined) return here
    // A region whose machines are all lost is not here for that.
    const all = origins()
    return all === undefined || all.size > 1 ? here : origin
  }
}
