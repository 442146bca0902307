import { CLASS_IN, HEADER_BYTES, MAX_UDP_BYTES, PLAIN_UDP_BYTES, RCODE, TYPE } from './codes.ts'

/**
 * What a packet asks, read in place: one object serves all packets of a socket, since nothing may be made for
 * each of them. Whoever waits reads the packet again.
 */
export interface Query {
  /** Where the question's type begins, behind the name. */
  nameEnd: number
  type: number
  hasEdns: boolean
  /** Wants the records of DNSSEC; there are none, and it is told back. */
  wantsDnssec: boolean
  /** What the asker takes in one packet, within what we send. */
  udpBytes: number
  /** Where a cookie begins, 0 without one. */
  cookieAt: number
  cookieBytes: number
  /** Where the network of the asker's client begins, 0 without one. */
  subnetAt: number
  subnetBytes: number
}

export const createQuery = (): Query => ({
  nameEnd: 0,
  type: 0,
  hasEdns: false,
  wantsDnssec: false,
  udpBytes: PLAIN_UDP_BYTES,
  cookieAt: 0,
  cookieBytes: 0,
  subnetAt: 0,
  subnetBytes: 0,
})

/** The packet deserves no answer at all: it is one itself, or too short to have an id. */
export const SILENCE = -1

const COOKIE_OPTION = 10
const SUBNET_OPTION = 8
const OPT_BYTES = 11
/** The end of a name, its type and its class. */
const QUESTION_BYTES = 5
const QR_BIT = 0x80
const OPCODE_BITS = 0x78

/** Reads strictly. Answers a code: 0 when there is a question for us, the error to answer with, or SILENCE. */
export function readQuery(m: Buffer, query: Query): number {
  const length = m.length
  query.hasEdns = false
  query.wantsDnssec = false
  query.udpBytes = PLAIN_UDP_BYTES
  query.cookieAt = 0
  query.subnetAt = 0
  query.nameEnd = 0
  if (length < HEADER_BYTES || ((m[2] as number) & QR_BIT) !== 0) return SILENCE
  if (((m[2] as number) & OPCODE_BITS) !== 0) return RCODE.NOTIMP
  // One question, no answers, at most one additional record.
  if (m[4] !== 0 || m[5] !== 1 || m[6] !== 0 || m[7] !== 0 || m[8] !== 0 || m[9] !== 0) return RCODE.FORMERR
  if (m[10] !== 0 || (m[11] as number) > 1) return RCODE.FORMERR

  // What is not there would be no number, and be read for ever.
  if (length < HEADER_BYTES + QUESTION_BYTES) return RCODE.FORMERR
  let at = HEADER_BYTES
  for (let label = m[at] as number; label !== 0; label = m[at] as number) {
    if (label > 63) return RCODE.FORMERR
    at += label + 1
    if (at + QUESTION_BYTES > length || at - HEADER_BYTES > 254) return RCODE.FORMERR
  }
  const nameEnd = at + 1
  const end = nameEnd + 4
  const type = ((m[nameEnd] as number) << 8) | (m[nameEnd + 1] as number)
  const isInternet = m[nameEnd + 2] === 0 && m[nameEnd + 3] === CLASS_IN
  if (m[11] === 0) {
    if (end !== length) return RCODE.FORMERR
  } else {
    const code = readEdns(m, end, query)
    if (code !== RCODE.NOERROR) return code
  }
  query.nameEnd = nameEnd
  query.type = type
  if (type === TYPE.OPT) return RCODE.FORMERR
  return isInternet ? RCODE.NOERROR : RCODE.REFUSED
}

function readEdns(m: Buffer, at: number, query: Query): number {
  const length = m.length
  if (at + OPT_BYTES > length || m[at] !== 0 || m[at + 1] !== 0 || m[at + 2] !== TYPE.OPT)
    return RCODE.FORMERR
  const options = at + OPT_BYTES
  const end = options + (((m[at + 9] as number) << 8) | (m[at + 10] as number))
  if (end !== length) return RCODE.FORMERR
  query.hasEdns = true
  const bytes = ((m[at + 3] as number) << 8) | (m[at + 4] as number)
  query.udpBytes = bytes < PLAIN_UDP_BYTES ? PLAIN_UDP_BYTES : bytes > MAX_UDP_BYTES ? MAX_UDP_BYTES : bytes
  query.wantsDnssec = ((m[at + 7] as number) & 0x80) !== 0
  if (m[at + 6] !== 0) return RCODE.BADVERS
  for (let option = options; option < end; ) {
    if (option + 4 > end) return RCODE.FORMERR
    const code = ((m[option] as number) << 8) | (m[option + 1] as number)
    const size = ((m[option + 2] as number) << 8) | (m[option + 3] as number)
    if (option + 4 + size > end) return RCODE.FORMERR
    if (code === COOKIE_OPTION && query.cookieAt === 0) {
      if (size !== 8 && (size < 16 || size > 40)) return RCODE.FORMERR
      query.cookieAt = option + 4
      query.cookieBytes = size
    }
    if (code === SUBNET_OPTION && query.subnetAt === 0) {
      query.subnetAt = option + 4
      query.subnetBytes = size
    }
    option += 4 + size
  }
  return RCODE.NOERROR
}
