import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { AnyRequest } from '../http-message.ts'
import { CALLER } from '../outbound/own-sites.ts'
import { remembering } from '../remembering.ts'
import { noteSender, senderOf } from './sender.ts'

/** Proxies in front of this installation, which tell for whom they ask. */
export interface TrustedProxies {
  /** Whether what this peer of a connection tells is believed. */
  has(peer: string | undefined): boolean
  /** Has `senderOf` name who is behind the proxy that a request comes from, if it comes from one. */
  note(req: AnyRequest): void
}

/** Of a chain of proxies, at most so many are believed. */
const MOST_PROXIES = 16
/** The longest address, in brackets and with a port. */
const LONGEST = 64
const MOST_KNOWN = 10_000

/** `ranges`: addresses and CIDR blocks. Undefined where there are none, so that nothing is done for requests. */
export function createTrustedProxies(ranges: readonly string[]): TrustedProxies | undefined {
  if (ranges.length === 0) return undefined
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits = isIPv4(network) ? '32' : '128'] = range.split('/')
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6')
  }
  const contains = remembering(
    (text) => {
      const address = readAddress(text.replace(/%.*$/, ''))
      // Code that runs here is no proxy, whatever range it asks from.
      if (address === undefined || address === CALLER) return false
      return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
    },
    { most: MOST_KNOWN, longest: LONGEST },
  )
  const has = (peer: string | undefined): boolean => peer !== undefined && contains(peer)

  /** From the nearest proxy on, as long as each is trusted: whoever came before could have written anything. */
  function sourceBehind(proxy: string, forwardedFor: string): string {
    let found = proxy
    let end = forwardedFor.length
    for (let n = 0; n < MOST_PROXIES && end >= 0; n++) {
      const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1)
      const address = readEntry(forwardedFor.slice(comma + 1, end))
      if (address === undefined) return found
      found = address
      if (!contains(address)) return found
      end = comma
    }
    return found
  }

  return {
    has,
    note(req) {
      const peer = senderOf(req)
      if (!has(peer.address)) return
      const forwardedFor = textOf(req.headers['x-forwarded-for'])
      const isSecure = saysTls(textOf(req.headers['x-forwarded-proto'])) ?? peer.isSecure
      noteSender(req, {
        address: forwardedFor === undefined ? peer.address : sourceBehind(peer.address, forwardedFor),
        isSecure,
        port: portOf(req) ?? (isSecure ? 443 : 80),
      })
    },
  }
}

/** One header, in however many lines it came. */
const textOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(',') : value

/** What the nearest proxy says. Some name the scheme of WebSocket. */
function saysTls(proto: string | undefined): boolean | undefined {
  const last = proto
    ?.slice(proto.lastIndexOf(',') + 1)
    .trim()
    .toLowerCase()
  if (last === 'https' || last === 'wss') return true
  return last === 'http' || last === 'ws' ? false : undefined
}

/** The port in the Host header, which is the one that visitors see. */
function portOf({ headers }: AnyRequest): number | undefined {
  const host = headers.host ?? textOf(headers[':authority'])
  const port = Number(/:(\d{1,5})$/.exec(host ?? '')?.[1])
  return port >= 1 && port <= 65535 ? port : undefined
}

/** An address, in brackets if it is one of IPv6, and some add a port to it. */
function readEntry(entry: string): string | undefined {
  const text = entry.trim()
  if (text.length > LONGEST) return undefined
  const [, bracketed, four] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  return readAddress(bracketed ?? four ?? text)
}

/** In the one spelling that sockets have for it, except that IPv4 is never spelled as IPv6. */
function readAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  if (!isIPv6(text) || text.includes('%')) return undefined
  const { address } = new SocketAddress({ address: text, family: 'ipv6' })
  const four = address.startsWith('::ffff:') ? address.slice(7) : ''
  return isIPv4(four) ? four : address
}
