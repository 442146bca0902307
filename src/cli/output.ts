import picocolors from 'picocolors'

export type Colors = ReturnType<typeof picocolors.createColors>
export type Env = Readonly<Record<string, string | undefined>>

export interface Sink {
  readonly isTTY?: boolean
  write(text: string): unknown
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
  return {
    json,
    colors: picocolors.createColors(hasColors(stdout, env)),
    talkColors: picocolors.createColors(hasColors(stderr, env)),
    show: (data, render) => void stdout.write(json ? line(JSON.stringify(data, null, 2)) : line(render())),
    say: (text) => void stderr.write(line(text)),
  }
}
