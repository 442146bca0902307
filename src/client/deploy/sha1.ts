/**
 * The SHA-1 of bytes, by which files are named. Browsers have it only on pages that came by HTTPS or from this very
 * machine; elsewhere, as on an installation in a home network, it is worked out here.
 */
export async function sha1(bytes: Uint8Array): Promise<string> {
  const { subtle } = globalThis.crypto as Partial<typeof globalThis.crypto>
  if (subtle === undefined) return sha1ByHand(bytes)
  const sum = new Uint8Array(await subtle.digest('SHA-1', bytes as Uint8Array<ArrayBuffer>))
  return [...sum].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const BLOCK = 64

/** As FIPS 180-4 has it. */
export function sha1ByHand(bytes: Uint8Array): string {
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0])
  const words = new Int32Array(80)
  const whole = bytes.length - (bytes.length % BLOCK)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < whole; at += BLOCK) addBlock(state, words, view, at)

  const rest = bytes.subarray(whole)
  // What is left, a one bit, zeros, and the length in bits.
  const end = new Uint8Array(rest.length + 9 > BLOCK ? 2 * BLOCK : BLOCK)
  end.set(rest)
  end[rest.length] = 0x80
  const last = new DataView(end.buffer)
  last.setUint32(end.length - 8, Math.floor(bytes.length / 2 ** 29))
  last.setUint32(end.length - 4, (bytes.length * 8) >>> 0)
  for (let at = 0; at < end.length; at += BLOCK) addBlock(state, words, last, at)

  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

const turn = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

function addBlock(state: Int32Array, words: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + i * 4)
  for (let i = 16; i < 80; i++)
    words[i] = turn(word(words, i - 3) ^ word(words, i - 8) ^ word(words, i - 14) ^ word(words, i - 16), 1)
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number]
  for (let i = 0; i < 80; i++) {
    const mixed =
      i < 20
        ? ((b & c) | (~b & d)) + 0x5a827999
        : i < 40
          ? (b ^ c ^ d) + 0x6ed9eba1
          : i < 60
            ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
            : (b ^ c ^ d) + 0xca62c1d6
    const next = (turn(a, 5) + mixed + e + word(words, i)) | 0
    e = d
    d = c
    c = turn(b, 30)
    b = a
    a = next
  }
  state[0] = word(state, 0) + a
  state[1] = word(state, 1) + b
  state[2] = word(state, 2) + c
  state[3] = word(state, 3) + d
  state[4] = word(state, 4) + e
}

const word = (words: Int32Array, at: number): number => words[at] as number
