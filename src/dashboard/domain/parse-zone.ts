import { isRecordType, type RecordType } from '#contract/api/dns-record.ts'

export interface ZoneRecord {
  /** Where it begins, from 1. */
  readonly line: number
  /** Below the domain; empty for the domain itself. */
  readonly name: string
  readonly type: RecordType
  readonly value: string
}

interface Zone {
  readonly records: readonly ZoneRecord[]
  /** Lines that make no record, and why. */
  readonly left: readonly { readonly line: number; readonly why: string }[]
}

/** Words, and texts in quotes with their quotes. */
const WORD = /"(?:[^"\\]|\\.)*"|[^\s"]+/g

interface Line {
  readonly line: number
  readonly indented: boolean
  readonly words: readonly string[]
}

/** Without comments, and what is in brackets as one line. */
function linesOf(text: string): readonly Line[] {
  const lines: { line: number; indented: boolean; words: string[] }[] = []
  let depth = 0
  for (const [at, content] of text.split(/\r?\n/).entries()) {
    const bare = content.replace(/"(?:[^"\\]|\\.)*"|;.*$/g, (part) => (part.startsWith(';') ? '' : part))
    const words: string[] = []
    const began = depth
    for (const word of bare.match(WORD) ?? []) {
      if (word.startsWith('"')) words.push(word)
      else
        for (const piece of word.split(/([()])/)) {
          if (piece === '(') depth += 1
          else if (piece === ')') depth = Math.max(0, depth - 1)
          else if (piece !== '') words.push(piece)
        }
    }
    const last = lines.at(-1)
    if (began > 0 && last) last.words.push(...words)
    else if (words.length > 0) lines.push({ line: at + 1, indented: /^\s/.test(bare), words })
  }
  return lines
}

const absolute = (name: string, origin: string): string =>
  name === '@'
    ? origin
    : name.endsWith('.')
      ? name.slice(0, -1).toLowerCase()
      : `${name}.${origin}`.toLowerCase()

/** A name of a value: ours takes it whole and without the dot at its end. */
const target = (name: string, origin: string): string => (name === '.' ? '.' : absolute(name, origin))

const unquote = (word: string): string =>
  word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word

function readData(type: RecordType, data: readonly string[], origin: string): string {
  const named = (count: number) => [...data.slice(0, count), target(data[count] ?? '', origin)].join(' ')
  if (type === 'TXT') return data.map(unquote).join('')
  if (type === 'CNAME' || type === 'ALIAS') return named(0)
  if (type === 'MX') return named(1)
  if (type === 'SRV') return named(3)
  return data.join(' ')
}

/** Reads the records of a zone file, as other providers export it. What it has no use for is told. */
export function parseZone(text: string, domain: string): Zone {
  const records: ZoneRecord[] = []
  const left: { line: number; why: string }[] = []
  let origin = domain
  let owner = domain
  for (const { line, indented, words } of linesOf(text)) {
    const [first = '', second = ''] = words
    if (first.toUpperCase() === '$ORIGIN') {
      origin = absolute(second, origin)
      continue
    }
    if (first.startsWith('$')) continue
    const rest = [...words]
    if (!indented) owner = absolute(rest.shift() ?? '@', origin)
    while (/^(?:\d+[smhdw]?|IN|CH|HS)$/i.test(rest[0] ?? '')) rest.shift()
    const type = (rest.shift() ?? '').toUpperCase()
    if (owner !== domain && !owner.endsWith(`.${domain}`))
      left.push({ line, why: `${owner} is not in ${domain}.` })
    else if (type === 'SOA' || type === 'NS')
      left.push({ line, why: `${type} records are managed by Aloft.` })
    else if (!isRecordType(type)) left.push({ line, why: `Records of type ${type || '?'} aren’t supported.` })
    else if (rest.length === 0) left.push({ line, why: 'The record has no value.' })
    else
      records.push({
        line,
        name: owner === domain ? '' : owner.slice(0, -domain.length - 1),
        type,
        value: readData(type, rest, origin),
      })
  }
  return { records, left }
}
