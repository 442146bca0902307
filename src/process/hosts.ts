import { ORIGINS, type Origin } from '#contract/origins.ts'
import type { AnyRequest } from './listener-refusal.ts'
import type { Handle } from './listener-request.ts'

/** The host a request is for, lower-case, without port; empty when an old client sent none. */
export function hostOf(req: AnyRequest): string {
  const given = (req.headers[':authority'] ?? req.headers.host ?? '') as string
  return withoutPort(given).toLowerCase()
}

const withoutPort = (host: string): string =>
  host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : host.replace(/:\d*$/, '').replace(/\.$/, '')

export interface HostSwitch {
  readonly apiHosts: readonly string[]
  readonly domain: string
  readonly api: Handle
  readonly sites: Handle
}

/** One listener serves the API and the sites; the Host header tells them apart. */
export function createHostSwitch({ apiHosts, domain, api, sites }: HostSwitch): Handle {
  const names = new Set([...apiHosts, ...ORIGINS.map((origin) => `api-${origin}.${domain}`), ''])
  return (req, res) => (names.has(hostOf(req)) ? api : sites)(req, res)
}

/** `api-<origin>.<domain>` names an origin; every other name is the one this node is. */
export const createOriginOf =
  (domain: string, here: Origin) =>
  (host: string | undefined): Origin => {
    const name = withoutPort(host ?? '').toLowerCase()
    return ORIGINS.find((origin) => name === `api-${origin}.${domain}`) ?? here
  }
