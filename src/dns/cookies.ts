import { createHmac } from 'node:crypto'
import type { Query } from './query.ts'

const CLIENT_BYTES = 8
const SERVER_BYTES = 16
const HASH_BYTES = 8
const VERSION = 1
/** Seconds for which a cookie shows that its holder gets what is sent to its address, and is given out again. */
const VALID = 3600
const FRESH = 1800
const CLOCK_SKEW = 300

interface CookieCheck {
  /** The asker has been sent this cookie at its address, so that the address is no pretence. */
  readonly isKnown: boolean
  /** What goes into the answer. */
  readonly cookie: Buffer
}

const COOKIE_OPTION = 10

/** The option of EDNS that has it. */
export const writeCookie = (cookie: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0, COOKIE_OPTION, 0, cookie.length), cookie])

/** Cookies of DNS (RFC 7873), in the layout of RFC 9018. All processes of an installation share the secret. */
export class Cookies {
  readonly #secret: Buffer

  constructor(secret: Buffer) {
    this.#secret = secret
  }

  check(packet: Buffer, { cookieAt, cookieBytes }: Query, address: string, now: number): CookieCheck {
    const seconds = Math.floor(now / 1000) >>> 0
    const given = packet.subarray(cookieAt, cookieAt + cookieBytes)
    const client = given.subarray(0, CLIENT_BYTES)
    if (cookieBytes === CLIENT_BYTES + SERVER_BYTES && given[CLIENT_BYTES] === VERSION) {
      const age = (seconds - given.readUInt32BE(CLIENT_BYTES + 4)) | 0
      const isTimely = age <= VALID && age >= -CLOCK_SKEW
      if (isTimely && this.#make(client, seconds - age, address).equals(given))
        return { isKnown: true, cookie: age < FRESH ? given : this.#make(client, seconds, address) }
    }
    return { isKnown: false, cookie: this.#make(client, seconds, address) }
  }

  #make(client: Buffer, seconds: number, address: string): Buffer {
    const cookie = Buffer.alloc(CLIENT_BYTES + SERVER_BYTES)
    client.copy(cookie)
    cookie[CLIENT_BYTES] = VERSION
    cookie.writeUInt32BE(seconds >>> 0, CLIENT_BYTES + 4)
    const hash = createHmac('sha256', this.#secret)
      .update(cookie.subarray(0, CLIENT_BYTES + SERVER_BYTES - HASH_BYTES))
      .update(address)
      .digest()
    hash.copy(cookie, cookie.length - HASH_BYTES, 0, HASH_BYTES)
    return cookie
  }
}
