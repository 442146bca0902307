import { STATIC_TABLE } from './static-table.ts'

/** The number of each name, and of each header as a whole, where there is one. */
const NAMES = new Map<string, number>()
const WHOLE = new Map<string, number>()
for (const [index, [name, value]] of STATIC_TABLE.entries()) {
  if (!NAMES.has(name)) NAMES.set(name, index + 1)
  if (value !== '') WHOLE.set(`${name}: ${value}`, index + 1)
}

/**
 * A header block (RFC 7541) that can be read whatever came before it, and after which nothing is remembered: so any number of
 * writers may take turns on one connection. Names and values in turn, in latin1.
 */
export function encodeHeaders(headers: readonly string[]): Buffer {
  let most = 0
  for (const each of headers) most += each.length + 6
  const block = Buffer.allocUnsafe(most)
  let at = 0
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    const value = headers[i + 1] as string
    const whole = WHOLE.get(`${name}: ${value}`)
    if (whole !== undefined) {
      block[at++] = 0x80 | whole
      continue
    }
    const index = NAMES.get(name)
    at = writeNumber(block, at, 0x0f, index ?? 0)
    if (index === undefined) at = writeString(block, at, name)
    at = writeString(block, at, value)
  }
  return block.subarray(0, at)
}

function writeString(block: Buffer, at: number, text: string): number {
  const start = writeNumber(block, at, 0x7f, text.length)
  return start + block.write(text, start, 'latin1')
}

/** Answers where the next byte goes. */
function writeNumber(block: Buffer, at: number, mask: number, number: number): number {
  let next = at
  if (number < mask) {
    block[next++] = number
    return next
  }
  block[next++] = mask
  let rest = number - mask
  for (; rest >= 0x80; rest >>>= 7) block[next++] = 0x80 | (rest & 0x7f)
  block[next++] = rest
  return next
}
