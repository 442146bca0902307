import type { Answer } from './answer.ts'
import { CLASS_IN, HEADER_BYTES, MAX_TCP_BYTES, MAX_UDP_BYTES, RCODE, TYPE } from './codes.ts'
import { encodeName, parentOf, suffixesOf } from './name.ts'
import type { Query } from './query.ts'
import type { ResourceRecord } from './rdata.ts'

/** Names further back than this cannot be referred to. */
const MAX_POINTER = 0x3fff
const POINTER = 0xc000

/** Writes records behind one another; names that were written before are referred to. */
class Writer {
  #buffer: Buffer
  #at: number
  readonly #names = new Map<string, number>()

  constructor(start: Buffer, question: string) {
    this.#buffer = Buffer.alloc(512)
    start.copy(this.#buffer)
    this.#at = start.length
    let at = HEADER_BYTES
    for (const name of suffixesOf(question)) {
      this.#names.set(name, at)
      at += (start[at] as number) + 1
    }
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#at)
  }

  record({ name, type, ttl, parts, compress }: ResourceRecord): void {
    this.#name(name, true)
    this.#room(10)
    this.#at = this.#buffer.writeUInt16BE(type, this.#at)
    this.#at = this.#buffer.writeUInt16BE(CLASS_IN, this.#at)
    this.#at = this.#buffer.writeUInt32BE(ttl, this.#at)
    const length = this.#at
    this.#at += 2
    for (const part of parts)
      if (typeof part === 'string') this.#name(part, compress)
      else this.#append(part)
    this.#buffer.writeUInt16BE(Math.min(this.#at - length - 2, 0xffff), length)
  }

  #name(name: string, compress: boolean): void {
    if (!compress) {
      this.#append(encodeName(name) ?? Buffer.of(0))
      return
    }
    for (let rest = name; rest !== ''; rest = parentOf(rest)) {
      const known = this.#names.get(rest)
      if (known !== undefined) {
        this.#room(2)
        this.#at = this.#buffer.writeUInt16BE(POINTER | known, this.#at)
        return
      }
      if (this.#at <= MAX_POINTER) this.#names.set(rest, this.#at)
      const label = Buffer.from(rest.slice(0, rest.length - parentOf(rest).length).replace(/\.$/, ''), 'utf8')
      this.#append(Buffer.of(label.length))
      this.#append(label)
    }
    this.#append(Buffer.of(0))
  }

  #append(bytes: Buffer): void {
    this.#room(bytes.length)
    bytes.copy(this.#buffer, this.#at)
    this.#at += bytes.length
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return
    const larger = Buffer.alloc(Math.max(this.#buffer.length * 2, this.#at + bytes))
    this.#buffer.copy(larger)
    this.#buffer = larger
  }
}

/**
 * The whole answer to the question of this packet, without EDNS, as others may be sent it as well: the id and
 * what the asker chose are for `fitTo` to fill in.
 */
export function writeAnswer(packet: Buffer, nameEnd: number, question: string, answer: Answer): Buffer {
  const start = Buffer.alloc(nameEnd + 4)
  packet.copy(start, HEADER_BYTES, HEADER_BYTES, nameEnd + 4)
  start[2] = 0x80 | (answer.authoritative ? 0x04 : 0)
  start[3] = answer.rcode
  start[5] = 1
  if (answer.answers.length + answer.authority.length === 0) return start
  const writer = new Writer(start, question)
  for (const record of answer.answers) writer.record(record)
  for (const record of answer.authority) writer.record(record)
  // More than a message can have: the operator of the zone overdid it, and nobody can be told.
  if (writer.bytes.length > MAX_TCP_BYTES - 64) return failed(start)
  // A copy that holds on to nothing else, since it may be kept for long.
  const bytes = Buffer.allocUnsafeSlow(writer.bytes.length)
  writer.bytes.copy(bytes)
  bytes.writeUInt16BE(answer.answers.length, 6)
  bytes.writeUInt16BE(answer.authority.length, 8)
  return bytes
}

function failed(start: Buffer): Buffer {
  start[2] = 0x80
  start[3] = RCODE.SERVFAIL
  return start
}

const OPT_BYTES = 11
const TRUNCATED = 0x02
/** Of what the asker set, these come back: recursion desired, checking disabled. */
const RECURSION_DESIRED = 0x01
const CHECKING_DISABLED = 0x10

/**
 * The answer for this asker: its id and spelling of the name, EDNS if it speaks it, no longer than it may be. `options` are those
 * of EDNS.
 */
export function fitTo(packet: Buffer, query: Query, ready: Buffer, most: number, options?: Buffer): Buffer {
  const { nameEnd } = query
  const edns = query.hasEdns ? OPT_BYTES + (options?.length ?? 0) : 0
  const fits = ready.length + edns <= most
  const length = fits ? ready.length : nameEnd + 4
  const out = Buffer.allocUnsafe(length + edns)
  if (fits) out.set(ready)
  else ready.copy(out, 0, 0, length)
  // Byte by byte, which for so few is quicker than any call.
  for (let at = HEADER_BYTES; at < nameEnd; at++) out[at] = packet[at] as number
  out[0] = packet[0] as number
  out[1] = packet[1] as number
  out[2] = (ready[2] as number) | ((packet[2] as number) & RECURSION_DESIRED) | (fits ? 0 : TRUNCATED)
  out[3] = (ready[3] as number) | ((packet[3] as number) & CHECKING_DISABLED)
  if (!fits) out.fill(0, 6, 10)
  out[10] = 0
  out[11] = query.hasEdns ? 1 : 0
  if (query.hasEdns) writeEdns(out, length, query, 0, options)
  return out
}

/**
 * The same in a buffer that every asker of this answer is sent, one after the other: nothing is made or copied. It is
 * for a socket that sends at once. Should one ever not, the asker before is sent what is not his, and asks again.
 */
export function patchFor(packet: Buffer, query: Query, shared: Buffer): Buffer {
  const { nameEnd } = query
  shared[0] = packet[0] as number
  shared[1] = packet[1] as number
  shared[2] = ((shared[2] as number) & ~RECURSION_DESIRED) | ((packet[2] as number) & RECURSION_DESIRED)
  shared[3] = ((shared[3] as number) & ~CHECKING_DISABLED) | ((packet[3] as number) & CHECKING_DISABLED)
  for (let at = HEADER_BYTES; at < nameEnd; at++) shared[at] = packet[at] as number
  if (query.hasEdns) shared[shared.length - 4] = query.wantsDnssec ? 0x80 : 0
  return shared
}

/** "Ask again over TCP": no longer than the question, so that it is of no use against others. */
export function writeTruncated(packet: Buffer, query: Query): Buffer {
  const out = writeError(packet, query, RCODE.NOERROR)
  out[2] = (out[2] as number) | TRUNCATED
  return out
}

/** An answer without records. The question comes back if it could be read. */
export function writeError(packet: Buffer, query: Query, rcode: number): Buffer {
  const length = query.nameEnd === 0 ? HEADER_BYTES : query.nameEnd + 4
  const out = Buffer.alloc(length + (query.hasEdns ? OPT_BYTES : 0))
  packet.copy(out, 0, 0, 2)
  // With the operation that was asked for.
  out[2] = 0x80 | ((packet[2] as number) & 0x79)
  out[3] = (rcode & 15) | ((packet[3] as number) & CHECKING_DISABLED)
  if (query.nameEnd !== 0) {
    out[5] = 1
    packet.copy(out, HEADER_BYTES, HEADER_BYTES, length)
  }
  if (query.hasEdns) {
    out[11] = 1
    writeEdns(out, length, query, rcode >> 4, undefined)
  }
  return out
}

function writeEdns(
  out: Buffer,
  at: number,
  query: Query,
  upperRcode: number,
  options: Buffer | undefined,
): void {
  out[at] = 0
  out[at + 1] = 0
  out[at + 2] = TYPE.OPT
  out[at + 3] = MAX_UDP_BYTES >> 8
  out[at + 4] = MAX_UDP_BYTES & 255
  out[at + 5] = upperRcode
  out[at + 6] = 0
  out[at + 7] = query.wantsDnssec ? 0x80 : 0
  out[at + 8] = 0
  out[at + 9] = 0
  out[at + 10] = options?.length ?? 0
  options?.copy(out, at + OPT_BYTES)
}
