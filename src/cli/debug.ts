import type { Trace } from '#client/call/trace.ts'
import { showDuration } from '#contract/amounts.ts'
import { SECOND } from '#contract/time.ts'
import type { Output } from './output/output.ts'
import { plainText } from './output/plain-text.ts'

/** Tells of waits that a person would notice; with `--debug`, of every request and answer. */
export function printTrace(event: Trace, out: Output, debug: boolean): void {
  const { dim } = out.talkColors
  if (event.kind === 'wait' && (debug || (event.ms >= SECOND && !out.json)))
    out.say(dim(`${plainText(event.why)} Trying again in ${showDuration(event.ms)}…`))
  else if (debug) for (const line of linesOf(event)) out.say(dim(line))
}

function linesOf(event: Trace): string[] {
  switch (event.kind) {
    case 'request':
      return [
        `> ${event.method} ${event.url}`,
        ...headerLines('>', event.headers),
        ...bodyLines('>', event.body),
      ]
    case 'answer':
      return [
        `< ${event.status} after ${event.ms} ms`,
        ...headerLines('<', event.headers),
        ...bodyLines('<', event.body),
      ]
    case 'failure':
      return [`< ${plainText(event.message)}`]
    case 'wait':
      return []
  }
}

const headerLines = (mark: string, headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => plainText(`${mark} ${name}: ${value}`))

/** JSON escapes what could confuse a terminal, except for a few characters. */
const bodyLines = (mark: string, body: unknown): string[] =>
  body === undefined ? [] : [plainText(`${mark} ${JSON.stringify(body)}`)]
