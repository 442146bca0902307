import { remembering } from '#core/remembering.ts'
import { addressData } from './rdata.ts'

/** A network, and the region that is nearest to those in it. */
export interface Network {
  readonly address: string
  readonly prefix: number
  readonly origin: string
}

export interface Nearest {
  readonly origin: string | undefined
  /** How many bits of the address decided on it. */
  readonly prefix: number
}

interface Entry extends Network {
  readonly bytes: Buffer
}

const MAX_KNOWN = 10_000
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/** Which region is nearest to an address, as the operator says: by the smallest network that it is in. */
export class Networks {
  readonly #entries: readonly Entry[]
  readonly nearest = remembering((address): Nearest => this.#find(bytesOf(address)), { most: MAX_KNOWN })

  constructor(networks: readonly Network[]) {
    this.#entries = networks
      .map((network) => ({ ...network, bytes: bytesOf(network.address) }))
      .toSorted((a, b) => b.prefix - a.prefix)
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  #find(bytes: Buffer): Nearest {
    const family = this.#entries.filter((entry) => entry.bytes.length === bytes.length)
    const entry = family.find(({ bytes: network, prefix }) => isIn(bytes, network, prefix))
    if (entry !== undefined) return { origin: entry.origin, prefix: entry.prefix }
    // Another address of the same network might be in one that is known.
    return { origin: undefined, prefix: family[0]?.prefix ?? 0 }
  }
}

const bytesOf = (address: string): Buffer => {
  const [data] = addressData(address.replace(MAPPED, ''))?.parts ?? []
  return Buffer.isBuffer(data) ? data : Buffer.alloc(0)
}

function isIn(address: Buffer, network: Buffer, prefix: number): boolean {
  const whole = prefix >> 3
  if (address.compare(network, 0, whole, 0, whole) !== 0) return false
  const mask = (0xff00 >> (prefix & 7)) & 0xff
  return mask === 0 || (((address[whole] as number) ^ (network[whole] as number)) & mask) === 0
}

/** The network of a client, as a resolver gives it (RFC 7871). */
interface ClientSubnet {
  readonly address: string
  /** The option without the length of the network that an answer holds for. */
  readonly option: Buffer
}

const FAMILIES = { 1: 4, 2: 16 } as const
const SUBNET_OPTION = 8

/** Undefined where it is not in the form that it has to be in. */
export function readSubnet(packet: Buffer, at: number, size: number): ClientSubnet | undefined {
  if (size < 4) return undefined
  const whole = FAMILIES[packet.readUInt16BE(at) as keyof typeof FAMILIES]
  const prefix = packet[at + 2] as number
  const given = size - 4
  if (whole === undefined || prefix > whole * 8 || packet[at + 3] !== 0) return undefined
  if (given !== Math.ceil(prefix / 8)) return undefined
  const bytes = Buffer.alloc(whole)
  packet.copy(bytes, 0, at + 4, at + size)
  const address = whole === 4 ? bytes.join('.') : (bytes.toString('hex').match(/.{4}/g) ?? []).join(':')
  return { address, option: packet.subarray(at, at + size) }
}

/** What goes into the answer: the same network, and how much of it the answer depends on. */
export function writeSubnet({ option }: ClientSubnet, scope: number): Buffer {
  const out = Buffer.alloc(4 + option.length)
  out.writeUInt16BE(SUBNET_OPTION, 0)
  out.writeUInt16BE(option.length, 2)
  option.copy(out, 4)
  out[7] = Math.min(scope, isIPv4Family(option) ? 32 : 128)
  return out
}

const isIPv4Family = (option: Buffer): boolean => option[1] === 1
