import { HEADER_BYTES, TYPE } from './codes.ts'

/** An answer ready to be sent, but for what is the asker's. */
export interface Ready {
  readonly bytes: Buffer
  readonly expiresAt: number
  /** What is counted together when answers are limited. */
  readonly identity: number
  /** The whole of it as it was last sent, without and with EDNS. */
  plain: Buffer | undefined
  edns: Buffer | undefined
}

type Generation = Map<number, Ready>

/** Others are asked for so rarely that remembering them would only be a way to fill the memory. */
const KEPT_TYPES: ReadonlySet<number> = new Set([
  TYPE.A,
  TYPE.NS,
  TYPE.CNAME,
  TYPE.SOA,
  TYPE.MX,
  TYPE.TXT,
  TYPE.AAAA,
  TYPE.SRV,
  TYPE.CAA,
  // PTR, DS, DNSKEY, SVCB, HTTPS: "there is none" is what browsers and resolvers hear all day.
  12,
  43,
  48,
  64,
  65,
])

/** Of the name, whatever the case of its letters, and the type. Without any string being made of it. */
export function questionHash(packet: Buffer, nameEnd: number): number {
  let hash = 0x811c9dc5
  for (let at = HEADER_BYTES; at < nameEnd; at++)
    hash = Math.imul(hash ^ ((packet[at] as number) | 32), 0x01000193)
  hash = Math.imul(hash ^ (packet[nameEnd] as number), 0x01000193)
  return Math.imul(hash ^ (packet[nameEnd + 1] as number), 0x01000193)
}

/** Whether both packets ask the same, whatever the case of letters. */
function asksTheSame(a: Buffer, b: Buffer, nameEnd: number): boolean {
  for (let at = HEADER_BYTES; at < nameEnd; at++) {
    const one = a[at] as number
    const other = b[at] as number
    if (one === other) continue
    const letter = one | 32
    if (letter !== (other | 32) || letter < 97 || letter > 122) return false
  }
  return a[nameEnd] === b[nameEnd] && a[nameEnd + 1] === b[nameEnd + 1]
}

/**
 * Ready answers by the hash of the question; of two questions with one hash the later one is kept. What was not asked
 * for while as many others came is forgotten: answers live in the younger half, and are taken over from the older one
 * when they are used.
 */
export class WireCache {
  readonly #most: number
  #young: Generation = new Map()
  #old: Generation = new Map()

  /** `most` answers are kept in each half. */
  constructor(most: number) {
    this.#most = most
  }

  /** The answer to the question of this packet. */
  get(hash: number, packet: Buffer, nameEnd: number): Ready | undefined {
    let ready = this.#young.get(hash)
    if (ready === undefined) {
      ready = this.#old.get(hash)
      if (ready === undefined) return undefined
      this.#keep(hash, ready)
    }
    // What will be sent is compared where it can be: the fewer places in memory are touched, the better.
    const own = ready.plain ?? ready.edns ?? ready.bytes
    return asksTheSame(packet, own, nameEnd) ? ready : undefined
  }

  set(hash: number, type: number, ready: Ready): void {
    if (KEPT_TYPES.has(type)) this.#keep(hash, ready)
  }

  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
  }

  #keep(hash: number, ready: Ready): void {
    if (this.#young.size >= this.#most) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(hash, ready)
  }
}
