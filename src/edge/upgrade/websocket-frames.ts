import type { StreamEnd } from '../open-streams.ts'

/** Follows frames of a WebSocket as they pass, to know where one ends: only there another can be added. */
export class FrameEdges {
  /** Bytes of the frame that are still to come, its header not included. */
  #left = 0
  #header: number[] = []

  get isBetween(): boolean {
    return this.#left === 0 && this.#header.length === 0
  }

  pass(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.length - at)
        this.#left -= step
        at += step
        continue
      }
      this.#header.push(chunk[at++] as number)
      const length = payloadOf(this.#header)
      if (length === undefined) continue
      this.#left = length
      this.#header = []
    }
  }
}

const MASKED = 0x80
const MASK_BYTES = 4

/** The length of what follows the header, as soon as the header tells it. */
function payloadOf(header: readonly number[]): number | undefined {
  const second = header[1]
  if (second === undefined) return undefined
  const short = second & 0x7f
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  if (header.length < 2 + lengthBytes) return undefined
  const length = lengthBytes === 0 ? short : header.slice(2).reduce((sum, byte) => sum * 256 + byte, 0)
  return length + (second & MASKED ? MASK_BYTES : 0)
}

const closeFrame = (code: number): Buffer => Buffer.from([0x88, 2, code >> 8, code & 0xff])

/** What a server says last, by why it ends: it restarts, and the client may come back at once, or it violates a policy. */
export const CLOSE_FRAMES = {
  restart: closeFrame(1012),
  refusal: closeFrame(1008),
} as const satisfies Record<StreamEnd, Buffer>
