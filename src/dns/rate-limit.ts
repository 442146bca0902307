import { randomInt } from 'node:crypto'

export interface RateLimits {
  /** Answers a second to one network, about one name and type. */
  readonly perAnswer: number
  /** Answers a second to one network, whatever about. One that is long counts as several. */
  readonly perNetwork: number
}

/** More than any resolver asks for what it may keep for a minute. */
export const DEFAULT_RATE_LIMITS: RateLimits = { perAnswer: 200, perNetwork: 2000 }

export const SEND = 0
/** Say that the answer is longer than it may be: a real asker comes back over TCP, a pretended one gets nothing new. */
export const SLIP = 1
const DROP = 2

/** What an answer of ordinary length takes. */
const USUAL_BYTES = 128

const BUCKETS = 1 << 15
const MASK = BUCKETS - 1
const PRIME = 0x01000193

const mix = (hash: number, value: number): number => Math.imul(hash ^ value, PRIME)

/** Any text as a number, the same in this process. */
export function hashOf(text: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i))
  return hash
}

/** The network that an address is in: /24 of IPv4, /56 of IPv6. */
function networkHash(address: string, seed: number): number {
  let [hash, network] = [seed, seed]
  for (let i = 0; i < address.length; i++) {
    const char = address.charCodeAt(i)
    if (char === 58) return longNetworkHash(address, seed)
    if (char === 46) network = hash
    hash = mix(hash, char)
  }
  return network
}

/** Of an address with colons, where one of IPv4 may be at the end. */
function longNetworkHash(address: string, seed: number): number {
  if (address.includes('.')) return networkHash(address.slice(address.lastIndexOf(':') + 1), seed)
  let [hash, group, groups] = [mix(seed, 6), 0, 0]
  for (let i = 0; i < address.length && groups < 4; i++) {
    const char = address.charCodeAt(i)
    if (char !== 58) {
      group = group * 16 + (char > 57 ? (char | 32) - 87 : char - 48)
      continue
    }
    hash = mix(hash, groups === 3 ? group >> 8 : group)
    group = 0
    groups++
    // Two colons stand for groups of zeros.
    if (address.charCodeAt(i + 1) === 58) break
  }
  for (; groups < 4; groups++) hash = mix(hash, 0)
  return hash
}

/** Buckets by hash, filled at a rate up to twice of it. Different askers that share one are limited together. */
class Buckets {
  readonly #rate: number
  readonly #most: number
  /** Tokens, and when they were counted, side by side. */
  readonly #slots = new Float64Array(BUCKETS * 2)

  constructor(rate: number) {
    this.#rate = rate / 1000
    this.#most = rate * 2
  }

  take(hash: number, now: number, cost = 1): boolean {
    const slot = ((hash ^ (hash >>> 15)) & MASK) * 2
    const gained = (now - (this.#slots[slot + 1] as number)) * this.#rate
    const tokens = Math.min(this.#most, (this.#slots[slot] as number) + Math.max(0, gained))
    this.#slots[slot] = tokens >= cost ? tokens - cost : tokens
    this.#slots[slot + 1] = now
    return tokens >= cost
  }
}

/** Keeps us from being used to flood others, whose address somebody pretends to have. */
export class RateLimit {
  /** Unknown to others, so that nobody can choose with whom he shares a bucket. */
  readonly #seed = randomInt(2 ** 31)
  readonly #answers: Buckets
  readonly #networks: Buckets
  #refused = 0

  constructor({ perAnswer, perNetwork }: RateLimits) {
    this.#answers = new Buckets(perAnswer)
    this.#networks = new Buckets(perNetwork)
  }

  /** `bytes` is the length of the answer: what floods somebody is what arrives, not how often. */
  take(address: string, answer: number, now: number, bytes: number): typeof SEND | typeof SLIP | typeof DROP {
    const network = networkHash(address, this.#seed)
    if (
      this.#networks.take(network, now, Math.ceil(bytes / USUAL_BYTES)) &&
      this.#answers.take(mix(network, answer), now)
    )
      return SEND
    return (this.#refused++ & 1) === 0 ? SLIP : DROP
  }
}
