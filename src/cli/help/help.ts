import type { Examples } from '../command.ts'
import { DEFAULT_BASE_URL } from '../config/settings.ts'

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
  ['ALOFT_BASE_URL', `URL of the installation (default: the last login, then ${DEFAULT_BASE_URL})`],
  ['ALOFT_TOKEN', 'API token to use instead of the stored login'],
  ['NO_COLOR', 'disable colored output'],
] as const

export const EXIT_CODES = [
  ['0', 'success'],
  ['1', 'the command or the build failed'],
  ['2', 'invalid usage; nothing was attempted'],
  ['3', 'not logged in or not permitted'],
  ['4', 'not found'],
  ['130', 'stopped by Ctrl-C'],
] as const

/** What stands below the list of commands. */
export const rootHelp = [
  examplesHelp([
    ['login you@example.com', 'log in'],
    ['', 'deploy the current folder'],
    ['deploy dist --prod', 'deploy a folder to production'],
    ['logs -f', 'follow the live log'],
    ['ls --json', 'list your deployments as JSON'],
    ['tokens create ci --expires-in 30d', 'create a token that expires in 30 days'],
    ['help tokens create', 'show the help of a command'],
  ]),
  section('Environment', ENVIRONMENT),
  section('Exit codes', EXIT_CODES),
].join('')
