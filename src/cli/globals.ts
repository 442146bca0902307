/** The options that every command takes, before or after its name. */
export const GLOBAL_OPTIONS = [
  ['--json', 'print the result as JSON'],
  ['--base-url <url>', 'address of the installation (else ALOFT_BASE_URL, else the last login)'],
  ['--token <token>', 'API token (else ALOFT_TOKEN, else the stored login)'],
  ['--team <id or slug>', 'team to act for, instead of your own account'],
  ['-y, --yes', 'agree to everything that would be asked'],
  ['--debug', 'print requests and answers to stderr, without secrets'],
] as const

export interface GlobalOptions {
  readonly json?: boolean
  readonly baseUrl?: string
  readonly token?: string
  readonly team?: string
  readonly yes?: boolean
  readonly debug?: boolean
}

/** The options among them that are followed by a value. */
const WITH_VALUE = new Set(
  GLOBAL_OPTIONS.filter(([flags]) => flags.includes('<')).map(([flags]) => flags.split(' ')[0] as string),
)

/** The words of a command line that are not options: the command's name first. */
export function wordsOf(argv: readonly string[]): string[] {
  const words: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string
    if (arg === '--') return [...words, ...argv.slice(i + 1)]
    if (WITH_VALUE.has(arg)) i++
    else if (!arg.startsWith('-')) words.push(arg)
  }
  return words
}
