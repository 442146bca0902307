import type { Readable } from 'node:stream'
import type { SiteVisit } from '#core/site/site.ts'

/** Names and values in turn, names in lower case; a value that is a list is a header that occurs several times. */
export type HeaderList = readonly (string | readonly string[])[]

/** As lines of a head of HTTP/1.1. */
export function headerLines(headers: HeaderList): string {
  let lines = ''
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const value = headers[i + 1]
    if (typeof value === 'object') for (const one of value) lines += `${headers[i]}: ${one}\r\n`
    else lines += `${headers[i]}: ${value}\r\n`
  }
  return lines
}

/** What a visitor gets, whichever protocol carries it. */
export interface Answer {
  readonly status: number
  /** Without the date and the id, which every answer has. */
  readonly headers: HeaderList
  /** A stream is consumed or destroyed by whoever sends the answer. */
  readonly body: Buffer | Readable | undefined
  readonly source: SiteVisit['source']
  /** What answered: a file's path, or the address that was asked. */
  readonly entrypoint: string
}

/** Of an answer that nobody is sent. */
export function dropBody({ body }: Pick<Answer, 'body'>): void {
  if (body !== undefined && !Buffer.isBuffer(body)) body.destroy()
}

/** The parts of a request that an answer can depend on. */
export interface Question {
  readonly method: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The address of the visitor, by which is counted what their answers take; absent where it is nobody in particular. */
  readonly from?: string
  /** Whether their network holds so much of our memory already that files come from where they are stored. */
  readonly isHolding?: boolean
  /** Counts what is read ahead of a large file until this answer is over; false where their network has too much of that already. */
  readonly holdFile?: () => boolean
}

export function headerOf({ headers }: Question, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

/** The first value of a header. */
export function valueIn(headers: HeaderList, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === name) {
      const value = headers[i + 1] as string | readonly string[]
      return typeof value === 'string' ? value : value.join(', ')
    }
  return undefined
}

/** All values of a header, as one text. */
export function textOf(headers: HeaderList, name: string): string | undefined {
  let found: string | undefined
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (headers[i] === name) {
      const value = headers[i + 1] as string | readonly string[]
      const text = typeof value === 'string' ? value : value.join(', ')
      found = found === undefined ? text : `${found}, ${text}`
    }
  return found
}

/** Those of `headers` whose name is not among the names of `own`. Both have names and values in turn. */
export function withoutNamesOf(own: readonly string[], headers: readonly string[]): readonly string[] {
  const names = new Set(own.filter((_, index) => index % 2 === 0))
  return headers.filter((_, index) => !names.has(headers[index - (index % 2)] as string))
}
