import { StringDecoder } from 'node:string_decoder'
import type { Redactor } from './redact.ts'

/** A line longer than this is given in parts. */
const LONGEST = 16_384

const ESC = String.fromCharCode(27)
const BEL = String.fromCharCode(7)
/** What moves a cursor to the beginning of its line, as a carriage return does. */
const TO_BEGINNING = new RegExp(`${ESC}\\[(?:[01]?G|2K)`, 'g')
const COLOUR = /^\[[0-9;:]*m/
const SEQUENCE = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?|[PX^_][^${ESC}]*(?:${ESC}\\\\)?|[ -/]*[0-~]?)`,
  'g',
)

/** Colours stay; whatever else would act on a terminal goes. */
const plain = (line: string): string =>
  line
    .replace(SEQUENCE, (sequence) => (COLOUR.test(sequence.slice(1)) ? sequence : ''))
    .replace(/\p{Cc}/gu, (control) => (control === '\t' || control === ESC ? control : ''))

/** Where the returns at the end of a line begin. A loop, because a pattern would look at a long run of them again and again. */
function endOf(line: string): number {
  let end = line.length
  while (line[end - 1] === '\r') end--
  return end
}

/** What a terminal would show at last of a line that was written over. */
function shown(line: string): string {
  const text = line.slice(0, endOf(line))
  return plain(text.slice(text.lastIndexOf('\r') + 1))
}

interface OutputLines {
  /** The lines that this much more output completes. */
  take(chunk: Buffer): readonly string[]
  /** The line that was begun when the output ended. */
  end(): readonly string[]
}

/** Makes lines of what a program writes, in chunks that end anywhere, without secrets. */
export function createOutputLines({ redact, cut, reach }: Redactor): OutputLines {
  const decoder = new StringDecoder('utf8')
  let begun = ''

  function take(text: string): readonly string[] {
    const parts = `${begun}${text}`.replace(TO_BEGINNING, '\r').split('\n')
    begun = parts.pop() ?? ''
    const lines = parts.flatMap(long)
    // Progress that is written over and over does not grow.
    const end = endOf(begun)
    if (end > 0) begun = begun.slice(begun.lastIndexOf('\r', end - 1) + 1, end + 1)
    else begun = ''
    while (begun.length > LONGEST + reach) {
      const text = shown(begun)
      const at = text.length > LONGEST + reach ? cut(text, LONGEST) : 0
      if (at > 0) lines.push(redact(text.slice(0, at)))
      begun = text.slice(at)
    }
    return lines
  }

  /** A whole line, in as many parts as it takes. */
  const long = (line: string): readonly string[] => {
    const text = redact(shown(line))
    if (text.length <= LONGEST) return [text]
    return Array.from({ length: Math.ceil(text.length / LONGEST) }, (_, i) =>
      text.slice(i * LONGEST, (i + 1) * LONGEST),
    )
  }

  return {
    take: (chunk) => take(decoder.write(chunk)),
    end() {
      const lines = [...take(decoder.end())]
      if (begun !== '') lines.push(...long(begun))
      begun = ''
      return lines
    },
  }
}
