import { showDuration } from '#contract/amounts.ts'
import type { DevEvent, DevReady, DevRequest } from '#contract/dev.ts'
import type { Colors, Output } from '../output/output.ts'
import { colouredText, plainText } from '../output/plain-text.ts'

export type ShownEvent = Exclude<DevEvent, { readonly type: 'failed' } | { readonly type: 'group' }>

/**
 * Says what happens. The address is the result and goes to stdout; the rest is talk. As JSON everything is a line of
 * the result, so that a program can follow it.
 */
export function showEvent(event: ShownEvent, out: Output, debug: boolean): void {
  if (event.type === 'debug' && !debug) return
  if (out.json) {
    out.line(event, () => '')
    return
  }
  if (event.type === 'ready') showReady(event, out)
  else out.say(textOf(event, out.talkColors))
}

function textOf(event: Exclude<ShownEvent, DevReady>, colors: Colors): string {
  switch (event.type) {
    case 'request':
      return requestLine(event, colors)
    case 'log':
      return `${colors.dim(`${plainText(event.from)} │`)} ${event.text
        .split(/\r?\n/)
        .map((line) => colouredText(line, { isColorSupported: true }))
        .join('\n')}`
    case 'built':
      return colors.dim(`Compiled ${plainText(event.file)} in ${showDuration(event.ms)}`)
    case 'note':
      return `${colors.yellow('note')} ${plainText(event.text)}`
    case 'fault': {
      const { about, text } = event
      const named = about === undefined || text.includes(about) ? '' : `${plainText(about)}: `
      return `${colors.bold(colors.red('error'))} ${named}${plainText(text)}`
    }
    case 'debug':
      return colors.dim(event.text.split('\n').map(plainText).join('\n'))
  }
}

function showReady(event: DevReady, out: Output): void {
  const { bold, green, dim, cyan } = out.talkColors
  const { url, others, ms, framework, command, functions, envFiles } = event
  const line = (name: string, text: string) => `  ${dim(name.padEnd(10))} ${text}`
  out.say(
    [
      ...['', `  ${bold(green('Ready'))} ${dim(`in ${showDuration(ms)}`)}`, ''],
      ...(out.seen ? [line('Local', cyan(bold(url)))] : []),
      ...others.map((other) => line('Network', cyan(other))),
      ...(framework === undefined ? [] : [line('Framework', plainText(framework))]),
      ...(command === undefined ? [] : [line('Runs', plainText(command))]),
      ...(functions > 0 ? [line('Functions', String(functions))] : []),
      ...(envFiles.length > 0 ? [line('Variables', envFiles.join(', '))] : []),
      ...(out.live ? ['', `  ${dim('Press Ctrl-C to stop.')}`] : []),
      '',
    ].join('\n'),
  )
  // For a pipe: `url=$(aloft dev | head -1)`.
  if (!out.seen) out.line(event, () => url)
}

function requestLine({ method, path, status, ms }: DevRequest, colors: Colors): string {
  const paint =
    status >= 500 ? colors.red : status >= 400 ? colors.yellow : status >= 300 ? colors.cyan : colors.green
  return `${method.padEnd(6)} ${paint(String(status))} ${plainText(path)} ${colors.dim(showDuration(ms))}`
}
