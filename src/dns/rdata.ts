import { isIPv4, isIPv6 } from 'node:net'
import type { ZoneRecord } from '#core/dns/zone.ts'
import { TYPE } from './codes.ts'
import { encodeName, plainName } from './name.ts'

/** The data of a record: bytes, and names, which the message may write short. */
interface Rdata {
  readonly parts: readonly (Buffer | string)[]
  /** Only the oldest types may refer to names elsewhere in the message. */
  readonly compress: boolean
}

export interface ResourceRecord extends Rdata {
  readonly name: string
  readonly type: number
  readonly ttl: number
  /** The region that what it leads to is in. */
  readonly origin?: string
}

const TXT_STRING_BYTES = 255

const bytes = (...parts: Buffer[]): Rdata => ({ parts, compress: false })
const u16 = (text: string | undefined): Buffer | undefined => {
  if (text === undefined || !/^\d{1,5}$/.test(text) || Number(text) > 65_535) return undefined
  return Buffer.of(Number(text) >> 8, Number(text) & 255)
}
const target = (text: string | undefined): string | undefined => {
  const name = text && plainName(text)
  return name !== undefined && encodeName(name) !== undefined ? name : undefined
}

export const addressData = (address: string): Rdata | undefined => {
  if (isIPv4(address)) return bytes(Buffer.from(address.split('.').map(Number)))
  return isIPv6(address) ? bytes(ipv6Bytes(address)) : undefined
}

function ipv6Bytes(address: string): Buffer {
  const plain = (address.split('%')[0] as string).replace(
    /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/,
    (_, a, b, c, d) => `${((+a << 8) | +b).toString(16)}:${((+c << 8) | +d).toString(16)}`,
  )
  const [head = '', tail] = plain.split('::')
  const groups = (text: string | undefined) =>
    text ? text.split(':').map((g) => Number.parseInt(g, 16)) : []
  const [before, after] = [groups(head), groups(tail)]
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]))
}

/** The text in strings of at most 255 bytes. */
export function textData(text: string): Rdata {
  const all = Buffer.from(text, 'utf8')
  const strings: Buffer[] = []
  for (let at = 0; at === 0 || at < all.length; at += TXT_STRING_BYTES) {
    const string = all.subarray(at, at + TXT_STRING_BYTES)
    strings.push(Buffer.of(string.length), string)
  }
  return bytes(Buffer.concat(strings))
}

export const nameData = (name: string): Rdata => ({ parts: [name], compress: true })

const READ: Record<Exclude<ZoneRecord['type'], 'ALIAS'>, (value: string) => Rdata | undefined> = {
  A: (value) => (isIPv4(value) ? addressData(value) : undefined),
  AAAA: (value) => (isIPv6(value) ? addressData(value) : undefined),
  CNAME(value) {
    const name = target(value)
    return name === undefined ? undefined : nameData(name)
  },
  MX(value) {
    const [priority, host, ...rest] = value.trim().split(/\s+/)
    const [first, name] = [u16(priority), target(host)]
    if (first === undefined || name === undefined || rest.length > 0) return undefined
    return { parts: [first, name], compress: true }
  },
  SRV(value) {
    const [priority, weight, port, host, ...rest] = value.trim().split(/\s+/)
    const [first, second, third, name] = [u16(priority), u16(weight), u16(port), target(host)]
    if (!first || !second || !third || name === undefined || rest.length > 0) return undefined
    return { parts: [Buffer.concat([first, second, third]), name], compress: false }
  },
  CAA(value) {
    const [, flags = '', tag = '', quoted, bare = ''] =
      /^(\d{1,3})\s+([a-z0-9]{1,255})\s+(?:"((?:[^"\\]|\\.)*)"|(.*))$/is.exec(value.trim()) ?? []
    if (tag === '' || Number(flags) > 255) return undefined
    const text = quoted === undefined ? bare : quoted.replace(/\\(.)/gs, '$1')
    return bytes(
      Buffer.of(Number(flags), tag.length),
      Buffer.from(tag.toLowerCase()),
      Buffer.from(text, 'utf8'),
    )
  },
  TXT: textData,
}

/** What a record answers with; undefined for a value that is not in the form of its type, and for an ALIAS. */
export const readRdata = ({ type, value }: Pick<ZoneRecord, 'type' | 'value'>): Rdata | undefined =>
  type === 'ALIAS' ? undefined : READ[type](value)

export const typeNumber = (type: Exclude<ZoneRecord['type'], 'ALIAS'>): number => TYPE[type]
