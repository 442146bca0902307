/** The options that every command takes, before or after its name. */
export const GLOBAL_OPTIONS = [
  ['--json', 'print the result as JSON'],
  ['--base-url <url>', 'URL of the installation (default: ALOFT_BASE_URL, then the last login)'],
  ['--token <token>', 'API token (default: ALOFT_TOKEN, then the stored login)'],
  [
    '--team <id or slug>',
    'team to use (default: the linked project’s team, then the one set by `teams switch`)',
  ],
  ['--scope <id or slug>', 'alias for --team'],
  ['--personal', 'use your personal account, even after `teams switch`'],
  ['-y, --yes', 'answer yes to every confirmation'],
  ['--debug', 'print requests and responses to stderr, with secrets redacted'],
] as const

export interface GlobalOptions {
  readonly json?: boolean
  readonly baseUrl?: string
  readonly token?: string
  readonly team?: string
  readonly scope?: string
  readonly personal?: boolean
  readonly yes?: boolean
  readonly debug?: boolean
}

/** The options among them that are followed by a value. */
const WITH_VALUE = new Set(
  GLOBAL_OPTIONS.filter(([flags]) => flags.includes('<')).map(([flags]) => flags.split(' ')[0] as string),
)

/** Options that ask about the command line itself. */
const ABOUT = new Set(['-h', '--help', '-V', '--version'])

/** Whether the line names no command: it has nothing but options, or begins with a folder. */
export function namesNoCommand(argv: readonly string[]): boolean {
  if (argv.some((arg) => ABOUT.has(arg)) && wordsOf(argv).length === 0) return false
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string
    if (WITH_VALUE.has(arg)) i++
    else if (!isGlobal(arg)) return /^[-./~]|[/\\]/.test(arg)
  }
  return true
}

const isGlobal = (arg: string): boolean =>
  GLOBAL_OPTIONS.some(([flags]) =>
    flags.split(/[ ,]+/).some((flag) => flag === arg || (WITH_VALUE.has(flag) && arg.startsWith(`${flag}=`))),
  )

/** The words of a command line that are not options: the command's name first. */
export const wordsOf = (argv: readonly string[]): string[] => placesOf(argv).map((at) => argv[at] as string)

/** Where those words are. */
export function placesOf(argv: readonly string[]): number[] {
  const places: number[] = []
  let plain = false
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string
    if (plain) places.push(i)
    else if (arg === '--') plain = true
    else if (WITH_VALUE.has(arg)) i++
    else if (!arg.startsWith('-')) places.push(i)
  }
  return places
}
