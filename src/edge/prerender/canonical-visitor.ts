import type { Site } from '#core/site/site.ts'
import type { Visitor } from '../proxy/proxy-headers.ts'

/** How visitors reach sites from outside, whatever this process listens on. */
export interface PublicAddress {
  readonly scheme: 'http' | 'https'
  readonly port: number
}

export const DEFAULT_ADDRESS: PublicAddress = { scheme: 'https', port: 443 }

const USUAL_PORTS = { http: 80, https: 443 } as const

export function publicAddressOf(url: string): PublicAddress {
  const { protocol, port } = new URL(url)
  const scheme = protocol === 'http:' ? 'http' : 'https'
  return { scheme, port: port === '' ? USUAL_PORTS[scheme] : Number(port) }
}

/**
 * Whom an answer is made for that everybody gets: nobody in particular, at the one address of the deployment. What
 * the first visitor calls it (another name of it, a port, capital letters) must not be in everybody's links.
 */
export function canonicalVisitor(site: Site, { scheme, port }: PublicAddress, requestId: string): Visitor {
  const name = site.canonicalHost ?? site.host
  const host = port === USUAL_PORTS[scheme] ? name : `${name}:${port}`
  return { ip: '127.0.0.1', host, scheme, port, requestId }
}
