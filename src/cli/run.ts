import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { authPath, openAuthFile } from './auth-file.ts'
import { type Cli, createCli } from './cli.ts'
import type { Raw } from './command.ts'
import { BARE, findEntry, knownName } from './commands.ts'
import { CliError, EXIT, type ExitCode, usageError } from './exit.ts'
import { explain, printFailure } from './explain.ts'
import { type GlobalOptions, namesNoCommand, wordsOf } from './globals.ts'
import { createOutput, type Env } from './output.ts'
import { buildProgram } from './program.ts'
import { createPrompt, type Terminal } from './prompt.ts'

export interface Surroundings {
  readonly argv: readonly string[]
  readonly env: Env
  readonly cwd: string
  readonly stdin: Terminal['input']
  readonly stdout: Terminal['output']
  readonly stderr: Terminal['output']
}

/** Runs one command line and answers its exit code. Nothing is thrown. */
export async function run({ argv, env, cwd, stdin, stdout, stderr }: Surroundings): Promise<ExitCode> {
  const version = readVersion()
  const { words, line } = readLine(argv)
  const entry = findEntry(words)
  const command = (await entry?.load())?.command
  let cli: Cli | undefined
  // Until the options are read, and when they cannot be, this is all that is known of them.
  let out = createOutput({ stdout, stderr, env, json: argv.includes('--json') })
  let debug = argv.includes('--debug')

  const onRun = async (options: GlobalOptions, raw: Raw) => {
    debug = options.debug === true
    out = createOutput({ stdout, stderr, env, json: options.json === true })
    cli = createCli({
      options,
      env,
      cwd,
      out,
      version,
      auth: openAuthFile(authPath(env)),
      prompt: createPrompt({ input: stdin, output: stderr }, options.yes === true),
    })
    if ((options.team ?? options.scope) !== undefined && !command?.team)
      out.say(out.talkColors.dim('note: --team changes nothing here.'))
    await command?.run(cli, raw)
  }

  const chosen = entry && command ? { entry, command } : undefined
  const program = buildProgram({ version, stdout, stderr, env, chosen, onRun })
  try {
    await program.parseAsync(line, { from: 'user' })
    return EXIT.ok
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.ok
    // A group without a command: its help was printed instead.
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT.usage
    const error = thrown instanceof CommanderError ? usageError(messageOf(thrown)) : thrown
    const failure = explain(error, { name: knownName(words), command, tokenFrom: tokenFrom(cli) })
    printFailure(failure, out)
    if (debug && error instanceof Error && !(error instanceof CliError)) out.say(error.stack ?? '')
    return failure.exit
  }
}

/** `aloft help token create` is `aloft token create --help`, so that one way of asking has to be known. */
function readLine(argv: readonly string[]): { readonly words: string[]; readonly line: readonly string[] } {
  if (namesNoCommand(argv)) return { words: [BARE], line: [BARE, ...argv] }
  const words = wordsOf(argv)
  if (words[0] !== 'help' || words.length === 1) return { words, line: argv }
  const asked = words.slice(1)
  return { words: asked, line: knownName(asked) === undefined ? asked : [...asked, '--help'] }
}

/** The parser puts its suggestion in brackets on a line of its own. */
const messageOf = ({ message }: CommanderError): string =>
  message
    .replace(/^error: /, '')
    .replace(/\n\((.*)\)$/, '. $1')
    .replace(/[^.?]$/, '$&.')

/** A file of logins that cannot be read has been reported already. */
function tokenFrom(cli: Cli | undefined) {
  try {
    return cli?.token()?.from
  } catch {
    return undefined
  }
}

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
