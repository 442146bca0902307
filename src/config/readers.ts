import { isIP, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { withoutBrackets } from '#contract/address-in-url.ts'
import { ORIGINS, type Origin } from '#contract/origins.ts'
import { postgresServers } from '#contract/postgres-servers.ts'
import { Redacted } from '#contract/redacted.ts'

/** Reads one setting from its text; throws what is accepted instead. */
export type SettingReader<T> = (text: string) => T

export class NotAccepted extends Error {}
const accepted = (what: string): never => {
  throw new NotAccepted(what)
}

const CONTROL = /\p{Cc}/u
export const text: SettingReader<string> = (value) =>
  value === value.trim() && value !== '' && !CONTROL.test(value)
    ? value
    : accepted('one line of text without spaces around it')
export const path: SettingReader<string> = (value) =>
  value.trim() === '' || CONTROL.test(value) ? accepted('a path without control characters') : resolve(value)
export const port =
  (lowest: number): SettingReader<number> =>
  (value) => {
    const n = Number(value)
    return /^\d+$/.test(value) && n >= lowest && n <= 65535 ? n : accepted(`a port from ${lowest} to 65535`)
  }
export const countTo =
  (most: number): SettingReader<number> =>
  (value) =>
    /^[1-9]\d{0,8}$/.test(value) && Number(value) <= most
      ? Number(value)
      : accepted(`a whole number from 1 to ${most}`)
export const count = countTo(999_999_999)
export const seconds: SettingReader<number> = (value) =>
  /^\d{1,6}$/.test(value) ? Number(value) : accepted('a whole number of seconds up to 999999')
export const percent: SettingReader<number> = (value) =>
  /^[1-9]\d?$|^100$/.test(value) ? Number(value) : accepted('a whole number from 1 to 100')
export const bytes: SettingReader<number> = (value) => {
  const [, number, unit = ''] = /^([1-9]\d{0,14})([KMGT]?)$/i.exec(value) ?? []
  const size = Number(number) * 1024 ** ['', 'K', 'M', 'G', 'T'].indexOf(unit.toUpperCase())
  return Number.isSafeInteger(size)
    ? size
    : accepted('a number of bytes such as 500M or 10G, less than 8192T')
}
export const oneOf =
  <const T extends string>(values: readonly T[]): SettingReader<T> =>
  (value) =>
    (values as readonly string[]).includes(value) ? (value as T) : accepted(`one of ${values.join(', ')}`)
const SPACED = /^\s|\s$|\p{Cc}/u
const startsWith = (value: string, protocol: string) => value.toLowerCase().startsWith(`${protocol}//`)
export const url =
  (...protocols: readonly string[]): SettingReader<string> =>
  (value) =>
    URL.canParse(value) && protocols.some((p) => startsWith(value, p)) && !SPACED.test(value)
      ? value
      : accepted(`a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
export const secretUrl =
  (...protocols: readonly string[]): SettingReader<Redacted> =>
  (value) =>
    new Redacted(url(...protocols)(value))
/** Several hosts may be named, of which one takes writes. */
export const postgresUrl: SettingReader<Redacted> = (value) =>
  postgresServers(value) === undefined || SPACED.test(value)
    ? accepted(
        'a URL such as postgres://user@host:5432/name, with commas between several hosts; with target_session_attrs, only read-write or primary',
      )
    : new Redacted(value)

/** Where paths are appended to, and which is shown. */
export const baseUrl: SettingReader<string> = (value) => {
  const { href, username, password, search, hash } = new URL(url('http:', 'https:')(value))
  return `${username}${password}${search}${hash}` === ''
    ? href.replace(/\/+$/, '')
    : accepted('a URL without a user, a password, `?` and `#`')
}
export const smtpUrl: SettingReader<Redacted> = (value) =>
  new URL(url('smtp:', 'smtps:')(value)).hostname === ''
    ? accepted('a URL with a host, such as smtp://mail.example.com:587')
    : new Redacted(value)

export const programPath: SettingReader<string> = (value) =>
  value === 'off' || (isAbsolute(value) && !CONTROL.test(value))
    ? value
    : accepted('an absolute path, or `off`')

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/
export const domain: SettingReader<string> = (value) => {
  const name = value.toLowerCase()
  return HOST_NAME.test(name) ? name : accepted('a host name such as example.com')
}
export const apiHosts: SettingReader<readonly string[]> = (value) => {
  const hosts = value
    .toLowerCase()
    .split(',')
    .map((host) => host.trim())
  const ok = (host: string) => HOST_NAME.test(host) || /^\[[0-9a-f:.]+\]$/.test(host)
  return hosts.every(ok) ? hosts : accepted('host names or [addresses], separated by commas')
}
const RESOLVER = /^(?:\[([0-9a-fA-F:.]+)\]|([\d.]+)):(\d{1,5})$/
const isResolver = (entry: string): boolean => {
  const [, six = '', four = '', port] = RESOLVER.exec(entry) ?? []
  return (isIPv6(six) || isIPv4(four)) && Number(port) >= 1 && Number(port) <= 65535
}
export const resolvers: SettingReader<readonly string[]> = (value) => {
  const list = value.split(',').map((entry) => entry.trim())
  return list.every(isResolver) ? list : accepted('ip:port pairs, separated by commas')
}
export const nameservers: SettingReader<readonly string[]> = (value) => {
  const names = value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/\.$/, ''))
  const ok =
    new Set(names).size === names.length && names.length <= 13 && names.every((n) => HOST_NAME.test(n))
  return ok ? names : accepted('1 to 13 different host names, separated by commas')
}
export const addresses: SettingReader<readonly string[]> = (value) => {
  const list = value.split(',').map((entry) => entry.trim())
  const ok = list.length <= 16 && list.every((entry) => isIP(entry) !== 0 && !entry.includes('%'))
  return ok ? list : accepted('1 to 16 IP addresses, separated by commas')
}
/** The addresses of this machine that others may reach while listeners are bound to this one. */
export function ownAddresses(host: string): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const own = all
    .filter((a) => !a.internal && !/^(?:fe[89ab]|169\.254\.)/i.test(a.address))
    // Who listens on all addresses of the older kind is not reached at the newer ones.
    .filter((a) => host !== '0.0.0.0' || isIPv4(a.address))
    .map((a) => a.address)
  return own.length > 0 ? own.slice(0, 16) : ['127.0.0.1']
}
const isRange = (entry: string): boolean => {
  const [network = '', bits, ...more] = entry.split('/')
  const most = isIPv4(network) ? 32 : isIPv6(network) ? 128 : -1
  return (
    more.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  )
}
export const ranges: SettingReader<readonly string[]> = (value) => {
  const list = value.split(',').map((entry) => entry.trim())
  return list.every(isRange) ? list : accepted('addresses or CIDR ranges, separated by commas')
}
const PRIVATE = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1', 'fc00::/7']
/** Not everybody, who could then say that they are anybody. */
export const proxies: SettingReader<readonly string[]> = (value) => {
  const list = value.split(',').map((entry) => entry.trim())
  const ok = (entry: string) => entry === 'private' || (isRange(entry) && !/%|\/0+$/.test(entry))
  return list.every(ok)
    ? list.flatMap((entry) => (entry === 'private' ? PRIVATE : entry))
    : accepted('addresses, CIDR ranges smaller than /0 or the word `private`, separated by commas')
}
/** A network and the origin that is nearest to those in it. */
export interface NearNetwork {
  readonly address: string
  readonly prefix: number
  readonly origin: Origin
}
const NETWORK = /^([0-9a-f.:]+)\/(\d{1,3})=([a-z0-9]+)$/i
export const nearNetworks: SettingReader<readonly NearNetwork[]> = (value) =>
  value.split(',').map((entry) => {
    const [, address = '', bits, name] = NETWORK.exec(entry.trim()) ?? []
    const origin = ORIGINS.find((known) => known === name)
    const most = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
    return origin !== undefined && Number(bits) <= most
      ? { address, prefix: Number(bits), origin }
      : accepted('pairs such as 203.0.113.0/24=bru1, separated by commas')
  })
const PRICE = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)=([1-9]\d{0,5})$/
export const prices: SettingReader<ReadonlyMap<string, number>> = (value) => {
  const found = value.split(',').map((entry) => PRICE.exec(entry.trim().toLowerCase()))
  return new Map(
    found.map((pair): [string, number] =>
      pair ? [pair[1] as string, Number(pair[2])] : accepted('pairs such as com=12, separated by commas'),
    ),
  )
}
export const DOMAIN_PRICES = 'com=12,net=12,org=12,dev=13,app=15,io=39,co=28,sh=45,me=18,xyz=10,rocks=12'
export const masterKey: SettingReader<Redacted> = (value) =>
  /^[A-Za-z0-9+/]{43}=$/.test(value) ? new Redacted(value) : accepted('32 bytes in base64')
export const bootstrapToken: SettingReader<Redacted> = (value) =>
  /^[\x21-\x7e]{1,256}$/.test(value) ? new Redacted(value) : accepted('1 to 256 printable characters')
export const email: SettingReader<string> = (value) =>
  /^[^\s@]+@[^\s@]+$/.test(value) ? value : accepted('an email address')
/** What has the form of an address has to be one. */
const isLikeIPv4 = (host: string) => /^[\d.]*$/.test(host)
/** An address with a port, such as others connect to. */
export const endpoint: SettingReader<string> = (value) => {
  const [, host = '', port] = /^(\[[0-9a-fA-F:]+\]|[0-9A-Za-z._-]{1,253}):(\d{1,5})$/.exec(value) ?? []
  const isHost = isIP(withoutBrackets(host)) !== 0 || (!host.startsWith('[') && !isLikeIPv4(host))
  return isHost && Number(port) >= 1 && Number(port) <= 65535
    ? value
    : accepted('an address or a host name, and a port, such as 10.0.0.5:3500 or worker-1.internal:3500')
}
export const address: SettingReader<string> = (value) =>
  (isIP(value) !== 0 && !value.includes('%')) || (HOST_NAME.test(value.toLowerCase()) && !isLikeIPv4(value))
    ? value.toLowerCase()
    : accepted('an IP address of this machine, or a host name that has one')
