import type { Examples } from './command.ts'
import { DEFAULT_BASE_URL } from './settings.ts'

const section = (title: string, rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return `\n${title}:\n${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')}\n`
}

export const examplesHelp = (examples: Examples): string =>
  section(
    'Examples',
    examples.map(([line, does]) => [`aloft ${line}`.trimEnd(), does]),
  )

export const ENVIRONMENT = [
  ['ALOFT_BASE_URL', `address of the installation (without it and a login: ${DEFAULT_BASE_URL})`],
  ['ALOFT_TOKEN', 'API token, instead of the stored login'],
  ['NO_COLOR', 'no colours'],
] as const

export const EXIT_CODES = [
  ['0', 'done'],
  ['1', 'failed, or the build did'],
  ['2', 'wrong usage; nothing was tried'],
  ['3', 'not logged in, or not allowed'],
  ['4', 'not found'],
  ['130', 'stopped by Ctrl-C'],
] as const

/** What stands below the list of commands. */
export const rootHelp = [
  examplesHelp([
    ['login you@example.com', 'log in'],
    ['', 'put the current folder online'],
    ['deploy dist --prod', 'put a folder into production'],
    ['logs -f', 'what happens there, as it happens'],
    ['ls --json', 'your deployments, for a program to read'],
    ['tokens create ci --expires-in 30d', 'a token that lapses after 30 days'],
    ['help tokens create', 'all about one command'],
  ]),
  section('Environment', ENVIRONMENT),
  section('Exit codes', EXIT_CODES),
].join('')
