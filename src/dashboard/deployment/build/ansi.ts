import type { CSSProperties } from 'react'
import { CONTROL, SEQUENCE, settled } from '#contract/build/terminal-text.ts'

/** A run of text that looks the same. */
export interface Segment {
  readonly text: string
  readonly className?: string
  readonly style?: CSSProperties
}

interface TextStyle {
  readonly colour?: string | undefined
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  /** Whatever colour is meant to lie behind it: the page has its own. */
  readonly behind?: boolean
}

/** In the order of a terminal: black, red, green, yellow, blue, magenta, cyan, white. */
const NAMED = [
  'var(--soft)',
  'var(--bad)',
  'var(--good)',
  'var(--warn)',
  'var(--accent)',
  'light-dark(#8a2a9c, #e39bf2)',
  'light-dark(#0b6b78, #62d3e0)',
  'var(--fg)',
] as const

/** A colour that somebody chose for a black terminal, made readable on the page as it is. */
const readable = (red: number, green: number, blue: number): string => {
  const from = `from rgb(${red} ${green} ${blue})`
  return `light-dark(oklch(${from} min(l, 0.48) c h), oklch(${from} max(l, 0.76) c h))`
}

const byte = (value: number | undefined): number => Math.min(Math.max(value ?? 0, 0), 255)

function ofPalette(index: number): string {
  if (index < 16) return NAMED[index % 8] ?? 'var(--fg)'
  if (index >= 232) {
    const grey = (index - 232) * 10 + 8
    return readable(grey, grey, grey)
  }
  const step = (value: number) => (value === 0 ? 0 : value * 40 + 55)
  const place = index - 16
  return readable(step(Math.floor(place / 36)), step(Math.floor(place / 6) % 6), step(place % 6))
}

/** What follows a 38 or 48: the colour, and how many numbers it took. */
function readColour(
  codes: readonly number[],
  at: number,
): readonly [colour: string | undefined, used: number] {
  if (codes[at] === 5) return [ofPalette(byte(codes[at + 1])), 2]
  if (codes[at] === 2) return [readable(byte(codes[at + 1]), byte(codes[at + 2]), byte(codes[at + 3])), 4]
  return [undefined, 0]
}

function change(before: TextStyle, codes: readonly number[]): TextStyle {
  let look = before
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) look = {}
    else if (code === 1) look = { ...look, bold: true }
    else if (code === 2) look = { ...look, dim: true }
    else if (code === 3) look = { ...look, italic: true }
    else if (code === 4) look = { ...look, underline: true }
    else if (code === 7) look = { ...look, behind: true }
    else if (code === 22) look = { ...look, bold: false, dim: false }
    else if (code === 23) look = { ...look, italic: false }
    else if (code === 24) look = { ...look, underline: false }
    else if (code === 27 || code === 49) look = { ...look, behind: false }
    else if (code === 39) look = { ...look, colour: undefined }
    else if (code >= 30 && code <= 37) look = { ...look, colour: NAMED[code - 30] }
    else if (code >= 90 && code <= 97) look = { ...look, colour: NAMED[code - 90] }
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) look = { ...look, behind: true }
    else if (code === 38 || code === 48) {
      const [colour, used] = readColour(codes, at + 1)
      if (colour !== undefined) look = code === 38 ? { ...look, colour } : { ...look, behind: true }
      at += used
    }
  }
  return look
}

function toSegment(text: string, look: TextStyle): Segment {
  const className = [
    look.bold && 'font-semibold',
    look.dim && look.colour === undefined && 'text-soft',
    look.italic && 'italic',
    look.underline && 'underline',
    look.behind && 'rounded-sm bg-hover',
  ]
    .filter(Boolean)
    .join(' ')
  return {
    text,
    ...(className !== '' && { className }),
    // Behind text lies a colour of the page, on which only its own are sure to be read.
    ...(look.colour !== undefined && look.behind !== true && { style: { color: look.colour } }),
  }
}

/** A line of a terminal as runs of text: colours and weights are kept, everything else that is no text is left out. */
export function parseAnsi(line: string): readonly Segment[] {
  const text = settled(line)
  if (!text.includes('\u001b')) return [{ text: text.replace(CONTROL, '') }]
  const segments: Segment[] = []
  let look: TextStyle = {}
  let from = 0
  const add = (to: number) => {
    const piece = text.slice(from, to).replace(CONTROL, '')
    if (piece !== '') segments.push(toSegment(piece, look))
  }
  for (const found of text.matchAll(SEQUENCE)) {
    add(found.index)
    from = found.index + found[0].length
    if (found[1] !== undefined) look = change(look, found[1].split(/[;:]/).map(Number))
  }
  add(text.length)
  return segments
}

export const plainText = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join('')

/** Cuts segments where something that is searched for begins and ends. */
export function markSegments(
  segments: readonly Segment[],
  wanted: string,
): readonly (Segment & { readonly isFound?: true })[] {
  if (wanted === '') return segments
  const whole = plainText(segments).toLowerCase()
  const needle = wanted.toLowerCase()
  const edges: number[] = []
  for (let at = whole.indexOf(needle); at !== -1; at = whole.indexOf(needle, at + needle.length))
    edges.push(at, at + needle.length)
  if (edges.length === 0) return segments
  const cut: (Segment & { readonly isFound?: true })[] = []
  let start = 0
  for (const segment of segments) {
    const end = start + segment.text.length
    const stops = [start, ...edges.filter((edge) => edge > start && edge < end), end]
    for (let i = 0; i + 1 < stops.length; i++) {
      const [from, to] = [stops[i] ?? 0, stops[i + 1] ?? 0]
      // Inside of a match the last edge before is the first of a pair.
      const isFound = edges.filter((edge) => edge <= from).length % 2 === 1
      const text = segment.text.slice(from - start, to - start)
      cut.push({ ...segment, text, ...(isFound && { isFound: true as const }) })
    }
    start = end
  }
  return cut
}
