import { isAscii } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** About this many bytes are parsed at a time. Texts from 128 KB on have pages of their own, which cost as much as to decode them. */
const SLICE = 64 * 1024
/** Looking for where to cut is quicker than parsing. */
const SCAN = 1024 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
/** What is between two objects of a list, as most programs write it. */
const BETWEEN = Buffer.from('},{')

/** A list right inside the outermost object that is long enough to be parsed in several goes. */
interface LongList {
  /** Of the brackets. */
  readonly open: number
  readonly close: number
  /** Places of commas between its items. */
  readonly cuts: readonly number[]
}

const whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
/** A mark of the byte order is one at the beginning of the whole alone. */
const piece = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Most of it is ASCII, and then each byte is a character: to find that out and to copy takes a fraction of decoding. */
const decode = (decoder: typeof whole, bytes: Buffer): string =>
  isAscii(bytes) ? bytes.toString('latin1') : decoder.decode(bytes)

/**
 * `JSON.parse` of bytes without keeping the process to itself: the lists that make a large object large are parsed a
 * piece at a time, and others have their turn in between. Throws what `parse` throws, and a TypeError where the bytes
 * are not UTF-8. `parse` is given texts of JSON that stand for the whole when put together.
 */
export async function parseJsonInSlices(
  bytes: Buffer,
  parse: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  if (bytes.length <= SLICE) return parse(decode(whole, bytes))
  const guess = await findLongLists(bytes, true)
  try {
    if (guess.isSound) return await parseAround(bytes, guess.lists, parse)
  } catch (error) {
    if (!guess.isGuessed) throw error
  }
  return parseAround(bytes, (await findLongLists(bytes, false)).lists, parse)
}

async function parseAround(
  bytes: Buffer,
  lists: readonly LongList[],
  parse: (text: string) => unknown,
): Promise<unknown> {
  if (lists.length === 0) return parse(decode(whole, bytes))
  // Nobody can guess what stands for a list in the text around it.
  const token = randomUUID()
  const edges = [0, ...lists.flatMap(({ open, close }) => [open + 1, close]), bytes.length]
  const around: string[] = []
  for (let i = 0; i < edges.length; i += 2)
    around.push(decode(i === 0 ? whole : piece, bytes.subarray(edges[i], edges[i + 1])))
  const value = parse(around.reduce((text, part, i) => `${text}"${token}${i - 1}"${part}`))
  const parsed: unknown[][] = []
  for (const list of lists) parsed.push(await parseList(bytes, list, parse))
  if (typeof value !== 'object' || value === null) return value
  const holder = value as Record<string, unknown>
  for (const [key, inner] of Object.entries(holder)) {
    const [mark] = Array.isArray(inner) ? inner : []
    if (typeof mark === 'string' && mark.startsWith(token))
      holder[key] = parsed[Number(mark.slice(token.length))]
  }
  return value
}

async function parseList(
  bytes: Buffer,
  { open, close, cuts }: LongList,
  parse: (text: string) => unknown,
): Promise<unknown[]> {
  const items: unknown[] = []
  const edges = [open, ...cuts, close]
  for (let i = 1; i < edges.length; i++) {
    const text = decode(piece, bytes.subarray((edges[i - 1] as number) + 1, edges[i]))
    // Nothing after a comma is no item, and would pass for an empty list.
    const some = parse(text.trim() === '' ? '[,]' : `[${text}]`) as unknown[]
    for (const item of some) items.push(item)
    await setImmediate()
  }
  return items
}

interface FoundLists {
  readonly lists: readonly LongList[]
  readonly isGuessed: boolean
  /** False where a guess is known to be wrong. */
  readonly isSound: boolean
}

/**
 * Trusts nothing but quotes and brackets; whatever else is wrong is found when the pieces are parsed.
 *
 * `guesses`: once a list is known to be long, most of it is leapt over, from what looks like the end of an item to the next one.
 * That may be inside of a text, of an item, or past the list, and then the piece before it is not JSON: a text or
 * a bracket is left open, or something follows the end of the list.
 */
async function findLongLists(bytes: Buffer, guesses: boolean): Promise<FoundLists> {
  const lists: LongList[] = []
  let depth = 0
  let open = -1
  let cuts: number[] = []
  let turn = SCAN
  let isGuessed = false
  let leap = guesses ? 0 : -1
  for (let at = 0; at < bytes.length; at++) {
    if (at > turn) {
      await setImmediate()
      turn = at + SCAN
    }
    const byte = bytes[at] as number
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === 0x5b || byte === 0x7b) {
      depth++
      if (depth === 2 && byte === 0x5b) {
        open = at
        cuts = []
      }
    } else if (byte === 0x5d || byte === 0x7d) {
      if (depth === 2 && open !== -1) {
        if (cuts.length > 0) lists.push({ open, close: at, cuts })
        open = -1
      }
      depth--
    } else if (byte === COMMA && depth === 2 && open !== -1 && at - (cuts.at(-1) ?? open) > SLICE) {
      cuts.push(at)
      if (leap !== -1) leap = bytes.indexOf(BETWEEN, at + SLICE)
      if (leap === -1) continue
      isGuessed = true
      at = leap
    }
  }
  const isObject = bytes[firstByte(bytes)] === 0x7b
  return { lists: isObject ? lists : [], isGuessed, isSound: !isGuessed || (isObject && depth === 0) }
}

const firstByte = (bytes: Buffer): number => bytes.findIndex((byte) => byte > 0x20)

/** Texts are mostly short, and then a call that looks for the quote takes longer than looking. */
const SHORT = 48

/** Of the closing quote; the end of the bytes where there is none. */
function endOfText(bytes: Buffer, open: number): number {
  const near = Math.min(open + SHORT, bytes.length)
  for (let at = open + 1; at < near; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) break
  }
  for (let end = bytes.indexOf(QUOTE, open + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return bytes.length
}
