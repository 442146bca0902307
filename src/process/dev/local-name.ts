import { isIP } from 'node:net'
import { isLocalName } from '#contract/local-name.ts'

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/

/** Whoever opens it to others knows its names, and we do not. */
export const isOpenToAll = (listensAt: string): boolean => listensAt === '0.0.0.0' || listensAt === '::'

/**
 * Whether a request may mean this server by the name it uses. A page of a stranger can have its own name lead to
 * this machine and read from it what it likes; it can do so with no address, and with no name of this machine.
 */
export const namesThisServer = (listensAt: string): ((name: string) => boolean) => {
  if (isOpenToAll(listensAt)) return () => true
  const own = listensAt.toLowerCase()
  return (name) => isIP(name) !== 0 || isLocalName(name) || name === own
}

/**
 * Whether a page of this origin may open a socket. Browsers let any page open one to any server and read from it, and say which page
 * it is; pages of this server and of others on this machine may. Programs that are no browsers say nothing, or something that no page
 * of the web could: an app has a scheme of its own. `null` is what a page says that hides where it is from.
 */
export const isLocalOrigin =
  (listensAt: string) =>
  (origin: string | undefined, host: string | undefined): boolean => {
    if (origin === undefined || isOpenToAll(listensAt)) return true
    const url = URL.parse(origin)
    if (url === null) return false
    if (!/^https?:$/.test(url.protocol)) return true
    const { hostname } = url
    return url.host === host?.toLowerCase() || LOOPBACK.test(hostname) || hostname === listensAt.toLowerCase()
  }
