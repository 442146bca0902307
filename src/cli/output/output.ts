import picocolors from 'picocolors'
import { safeJson, safeText } from './plain-text.ts'

export type Colors = ReturnType<typeof picocolors.createColors>
export type Env = Readonly<Record<string, string | undefined>>

export interface Sink {
  readonly isTTY?: boolean
  readonly columns?: number
  write(part: string | Uint8Array): unknown
  once?(event: 'drain', then: () => void): unknown
}

/** Results go to stdout and talk to stderr, so that a result can be piped while a person is talked to. */
export interface Output {
  /** True when the result is wanted as JSON. */
  readonly json: boolean
  /** Of the result. */
  readonly colors: Colors
  /** Of the talk. */
  readonly talkColors: Colors
  /** The result, once a command: the data itself as JSON, or what `render` makes of it for people. */
  show(data: unknown, render: () => string): void
  say(text: string): void
  /** A part of a result that comes bit by bit, as the log does: one line of text, or of JSON. */
  line(data: unknown, render: () => string): void
  /** A result that is bytes and not text, as fast as it is taken. */
  stream(parts: AsyncIterable<Uint8Array>): Promise<void>
  /** Whether a person sees the result, rather than a program. */
  readonly seen: boolean
  /** How wide the result may be, where a person sees it. */
  readonly width: number | undefined
  /** Whether a line on stderr can be drawn over, because a person looks at it. */
  readonly live: boolean
  /** A line that the next one, and all else, takes the place of; only where `live`. Nothing clears it. */
  status(text?: string): void
}

export const hasColors = (sink: Sink, env: Env): boolean =>
  sink.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'

export function createOutput(parts: {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly env: Env
  readonly json: boolean
}): Output {
  const { stdout, stderr, env, json } = parts
  const line = (text: string) => (text === '' ? '' : `${text}\n`)
  // What goes to a file or another program is as it was given.
  const result = (text: string) => line(stdout.isTTY === true ? safeText(text) : text)
  const live = stderr.isTTY === true && !json && env.TERM !== 'dumb'
  let drawn = false
  const clear = () => {
    if (drawn) stderr.write('\r\u001b[2K')
    drawn = false
  }
  return {
    json,
    live,
    colors: picocolors.createColors(hasColors(stdout, env)),
    talkColors: picocolors.createColors(hasColors(stderr, env)),
    show(data, render) {
      clear()
      stdout.write(json ? line(safeJson(JSON.stringify(data, null, 2))) : result(render()))
    },
    line(data, render) {
      clear()
      stdout.write(json ? `${safeJson(JSON.stringify(data))}\n` : result(render()))
    },
    async stream(parts) {
      clear()
      const decoder = new TextDecoder()
      // A terminal obeys some of what is in files of others.
      const shown = (part: Uint8Array) =>
        stdout.isTTY === true ? safeText(decoder.decode(part, { stream: true })) : part
      for await (const part of parts)
        if (stdout.write(shown(part)) === false)
          await new Promise<void>((resolve) => stdout.once?.('drain', resolve) ?? resolve())
    },
    seen: stdout.isTTY === true,
    width: stdout.isTTY === true ? stdout.columns || undefined : undefined,
    say(text) {
      clear()
      stderr.write(line(safeText(text)))
    },
    status(text = '') {
      if (!live) return
      clear()
      // A line that is too long would wrap, and could not be cleared.
      const cut = [...safeText(text)].slice(0, Math.max((stderr.columns || 80) - 1, 10)).join('')
      if (cut !== '') stderr.write(cut)
      drawn = cut !== ''
    },
  }
}
