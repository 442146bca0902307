import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import type { Cli } from './cli.ts'
import type { Raw } from './command.ts'
import { BARE, canonical, findEntry, knownName } from './commands.ts'
import { CliError, EXIT, type ExitCode, usageError } from './exit.ts'
import { type GlobalOptions, namesNoCommand, placesOf, wordsOf } from './globals.ts'
import { didYouMean } from './help/suggest.ts'
import { explain, printFailure, type Situation } from './output/explain.ts'
import { createOutput, type Env } from './output/output.ts'
import { buildProgram } from './program.ts'
import type { Terminal } from './prompt.ts'

interface Surroundings {
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
    // Loaded when there is something to do: help and mistakes in the line are answered without.
    const [{ authPath, openAuthFile }, { createCli }, { createPrompt }] = await Promise.all([
      import('./config/auth-file.ts'),
      import('./cli.ts'),
      import('./prompt.ts'),
    ])
    cli = createCli({
      options,
      env,
      cwd,
      out,
      version,
      auth: openAuthFile(authPath(env)),
      prompt: createPrompt({ input: stdin, output: stderr }, options.yes === true),
    })
    if (cli.namesAccount && command?.teamless)
      out.say(
        out.talkColors.dim(`note: ${cli.team === undefined ? '--personal' : '--team'} has no effect here.`),
      )
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
    const error = thrown instanceof CommanderError ? usageError(messageOf(thrown, words)) : thrown
    const failure = explain(error, { name: knownName(words), command, ...standing(cli) })
    printFailure(failure, out)
    if (debug && error instanceof Error && !(error instanceof CliError)) out.say(error.stack ?? '')
    return failure.exit
  }
}

/** `aloft help token create` is `aloft tokens create --help`, so that one way of asking has to be known. */
function readLine(argv: readonly string[]): { readonly words: string[]; readonly line: readonly string[] } {
  if (namesNoCommand(argv)) return { words: [BARE], line: [BARE, ...argv] }
  const typed = wordsOf(argv)
  if (typed[0] !== 'help' || typed.length === 1) {
    const words = canonical(typed)
    const places = placesOf(argv)
    return { words, line: argv.map((arg, at) => words[places.indexOf(at)] ?? arg) }
  }
  const asked = canonical(typed.slice(1))
  return { words: asked, line: knownName(asked) === undefined ? asked : [...asked, '--help'] }
}

/** The parser puts its suggestion in brackets on a line of its own. It only knows words of the same place. */
function messageOf({ code, message }: CommanderError, words: readonly string[]): string {
  const elsewhere = code === 'commander.unknownCommand' ? didYouMean(words) : undefined
  const [complaint = '', guess] = message.replace(/^error: /, '').split(/\n\((.*)\)$/)
  const question = elsewhere ?? guess
  return question === undefined ? complaint.replace(/[^.?]$/, '$&.') : `${complaint}. ${question}`
}

/** A file of logins that cannot be read has been reported already. */
function standing(cli: Cli | undefined): Pick<Situation, 'tokenFrom' | 'switchedTo'> {
  try {
    return { tokenFrom: cli?.token()?.from, switchedTo: cli?.switched()?.slug }
  } catch {
    return { tokenFrom: undefined, switchedTo: undefined }
  }
}

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
