/** Git's own framing: four hex digits of length, themselves included, and what they count. */
export const FLUSH = Buffer.from('0000')

/** The most that one packet holds beside its length. */
const MAX_DATA = 65_515

export const packet = (data: Buffer | string): Buffer => {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** In as many packets as it takes. */
export function inBand(band: 1 | 2, bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += MAX_DATA)
    parts.push(packet(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + MAX_DATA)])))
  return Buffer.concat(parts)
}

/** Text for people, in the band that git shows with `remote:`. */
export const progress = (text: string): Buffer => inBand(2, Buffer.from(text))

/** Says nothing and keeps the connection alive. */
export const KEEP_ALIVE = packet(Buffer.from([2]))

export class MalformedPacket extends Error {
  override readonly name = 'MalformedPacket'
}

/** Reads packets from bytes that come in pieces. Undefined is a flush. */
export class PacketReader {
  #chunks: Buffer[] = []
  #size = 0
  /** Before there are so many bytes, there is no packet. Until then they are not put together: they may come one by one. */
  #wanted = 4

  add(chunk: Uint8Array): void {
    this.#chunks.push(Buffer.from(chunk))
    this.#size += chunk.length
  }

  /** The next packet, or `wait` where it has not come whole. */
  next(): Buffer | undefined | 'wait' {
    if (this.#size < this.#wanted) return 'wait'
    const held = this.rest
    const digits = held.toString('latin1', 0, 4)
    if (!/^[0-9a-fA-F]{4}$/.test(digits))
      throw new MalformedPacket('The request does not follow the Git protocol.')
    const length = Number.parseInt(digits, 16)
    if (length === 0) {
      this.#hold(held.subarray(4))
      return undefined
    }
    if (length < 4) throw new MalformedPacket('The request does not follow the Git protocol.')
    if (held.length < length) {
      this.#wanted = length
      return 'wait'
    }
    this.#hold(held.subarray(length))
    return held.subarray(4, length)
  }

  /** What was added and is in no packet yet. */
  get rest(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.#chunks
    const held = others.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#chunks = [held]
    return held
  }

  #hold(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#size = rest.length
    this.#wanted = 4
  }
}
