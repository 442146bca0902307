export interface EnvEntry {
  /** Where it begins, from 1. */
  readonly line: number
  readonly key: string
  readonly value: string
}

interface EnvProblem {
  readonly line: number
  readonly why: string
}

export interface EnvFile {
  /** Of a name that is there more than once, the last. */
  readonly entries: readonly EnvEntry[]
  readonly problems: readonly EnvProblem[]
}

const ASSIGNMENT = /^\s*(?:export\s+)?([^\s=]+)\s*=[^\S\n]*/
const MAX_KEY = 256
const MAX_VALUE = 65_536
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/**
 * Reads a `.env` file: comments, `export`, values in single or double quotes or backticks that may go over several
 * lines, escapes in double quotes. A line that is none of this is told, and the rest is read all the same.
 */
export function parseEnv(text: string): EnvFile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const entries = new Map<string, EnvEntry>()
  const problems: EnvProblem[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    const content = lines[at] ?? ''
    if (/^\s*(?:#|$)/.test(content)) continue
    const match = ASSIGNMENT.exec(content)
    const key = match?.[1] ?? ''
    if (match === null) {
      problems.push({ line, why: 'Expected NAME=value.' })
      continue
    }
    const rest = content.slice(match[0].length)
    const quote = /^['"`]/.exec(rest)?.[0]
    let value = rest.replace(/(?:^|\s)#.*$/, '').trim()
    if (quote !== undefined) {
      const quoted = readQuoted([rest, ...lines.slice(at + 1)].join('\n'), quote)
      if (quoted === undefined) {
        problems.push({ line, why: `The opening quote ${quote} is never closed.` })
        continue
      }
      at += quoted.lines
      value = quoted.value
      if (!/^\s*(?:#.*)?$/.test(quoted.after)) {
        problems.push({ line, why: 'Unexpected text after the closing quote.' })
        continue
      }
    }
    const why = faultOf(key, value)
    if (why !== undefined) problems.push({ line, why })
    else {
      entries.delete(key)
      entries.set(key, { line, key, value })
    }
  }
  return { entries: [...entries.values()], problems }
}

function faultOf(key: string, value: string): string | undefined {
  if (!/^\w+$/.test(key))
    return `The name “${key.slice(0, 40)}” may only contain letters, digits and underscores.`
  if (key.length > MAX_KEY) return `The name is longer than ${MAX_KEY} characters.`
  if (value.length > MAX_VALUE) return `The value of ${key} is longer than ${MAX_VALUE} characters.`
  return undefined
}

/** What is between a quote at the beginning and its end; undefined when there is none. */
function readQuoted(text: string, quote: string) {
  let value = ''
  for (let at = 1; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === quote) {
      const after = text.slice(at + 1).split('\n', 1)[0] ?? ''
      return { value, after, lines: text.slice(0, at).split('\n').length - 1 }
    }
    if (quote === '"' && char === '\\' && at + 1 < text.length) {
      at += 1
      const next = text.charAt(at)
      value += ESCAPES[next] ?? (/["\\$`]/.test(next) ? next : `\\${next}`)
    } else value += char
  }
  return undefined
}

/**
 * A line that reads as this value again. Between single quotes and backticks everything stands for itself, to Node.js and others
 * as well; of escapes in double quotes, they know no more than `\n`.
 */
function writeLine(key: string, value: string): string {
  if (/^[\w./:@+,%-]*$/.test(value)) return `${key}=${value}`
  const quote = ["'", '`'].find((each) => !value.includes(each))
  if (quote !== undefined && !value.includes('\r')) return `${key}=${quote}${value}${quote}`
  const escaped = value
    .replace(/[\\"$`]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
  return `${key}="${escaped}"`
}

/** A `.env` file of these. */
export const writeEnv = (entries: readonly { readonly key: string; readonly value: string }[]): string =>
  entries.map(({ key, value }) => `${writeLine(key, value)}\n`).join('')
