import { TYPE } from './codes.ts'

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

type Generation = Map<number, Map<string, Ready>>

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

/**
 * Ready answers by type and question. What was not asked for while as many others came is forgotten: answers
 * live in the younger half, and are taken over from the older one when they are used.
 */
export class WireCache {
  readonly #most: number
  #young: Generation = new Map()
  #old: Generation = new Map()
  #count = 0

  /** `most` answers are kept in each half. */
  constructor(most: number) {
    this.#most = most
  }

  get(type: number, name: string): Ready | undefined {
    const ready = this.#young.get(type)?.get(name)
    if (ready !== undefined) return ready
    const older = this.#old.get(type)?.get(name)
    if (older !== undefined) this.set(type, name, older)
    return older
  }

  set(type: number, name: string, ready: Ready): void {
    if (!KEPT_TYPES.has(type)) return
    if (this.#count >= this.#most) {
      this.#old = this.#young
      this.#young = new Map()
      this.#count = 0
    }
    let names = this.#young.get(type)
    if (names === undefined) {
      names = new Map()
      this.#young.set(type, names)
    }
    names.set(name, ready)
    this.#count++
  }

  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
    this.#count = 0
  }
}
