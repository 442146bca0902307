/** Frames of HTTP/2 (RFC 9113), as they are on the line. */

export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const FLAG = { ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const

export const ERROR = {
  none: 0,
  protocol: 1,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  compression: 9,
  enhanceYourCalm: 11,
} as const

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
export const HEAD_BYTES = 9
/** The longest that may be sent to somebody who has not asked for longer ones; we never ask. */
export const MAX_FRAME_BYTES = 16384
/** What may be sent on a stream, and on all of them together, until the peer says something else. */
export const FIRST_WINDOW = 65_535
export const MAX_WINDOW = 2 ** 31 - 1

interface FrameHead {
  readonly length: number
  readonly type: number
  readonly flags: number
  readonly stream: number
}

/** Of a frame that begins at `at`, of which the head is there. */
export const readHead = (bytes: Buffer, at: number): FrameHead => ({
  length: bytes.readUIntBE(at, 3),
  type: bytes[at + 3] as number,
  flags: bytes[at + 4] as number,
  stream: bytes.readUInt32BE(at + 5) & MAX_WINDOW,
})

/** Answers where the payload goes. */
export function writeHead(
  bytes: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): number {
  bytes[at] = length >>> 16
  bytes[at + 1] = length >>> 8
  bytes[at + 2] = length
  bytes[at + 3] = type
  bytes[at + 4] = flags
  bytes.writeUInt32BE(stream, at + 5)
  return at + HEAD_BYTES
}

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payload.length)
  bytes.set(payload, writeHead(bytes, 0, payload.length, type, flags, stream))
  return bytes
}

export const settingsAck = (): Buffer => frame(TYPE.settings, FLAG.ack, 0, NOTHING)

/** Of the connection as a whole. */
export function windowUpdate(by: number): Buffer {
  const payload = Buffer.allocUnsafe(4)
  payload.writeUInt32BE(by)
  return frame(TYPE.windowUpdate, 0, 0, payload)
}

export function goAway(lastStream: number, error: number): Buffer {
  const payload = Buffer.allocUnsafe(8)
  payload.writeUInt32BE(lastStream)
  payload.writeUInt32BE(error, 4)
  return frame(TYPE.goAway, 0, 0, payload)
}

/** A header block, in as many frames as it needs. */
export function headerFrames(stream: number, isEnd: boolean, block: Buffer): Buffer {
  const frames: Buffer[] = []
  let at = 0
  do {
    const part = block.subarray(at, at + MAX_FRAME_BYTES)
    const isFirst = at === 0
    at += part.length
    const flags = (isFirst && isEnd ? FLAG.endStream : 0) | (at === block.length ? FLAG.endHeaders : 0)
    frames.push(frame(isFirst ? TYPE.headers : TYPE.continuation, flags, stream, part))
  } while (at < block.length)
  return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames)
}

const NOTHING = Buffer.alloc(0)
