import { Command as Parser, Option as ParserOption } from 'commander'
import { type Command, kebab, type Option, type Raw } from './command.ts'
import type { Entry } from './command-table.ts'
import { COMMANDS, GROUPS } from './commands.ts'
import { GLOBAL_OPTIONS, type GlobalOptions } from './globals.ts'
import { examplesHelp, rootHelp } from './help/help.ts'
import { type Env, hasColors, type Sink } from './output/output.ts'

interface ChosenCommand {
  readonly entry: Entry
  readonly command: Command
}

interface ProgramParts {
  readonly version: string
  readonly stdout: Sink
  readonly stderr: Sink
  readonly env: Env
  /** The command that is asked for; the others are only listed. */
  readonly chosen: ChosenCommand | undefined
  readonly onRun: (options: GlobalOptions, raw: Raw) => Promise<void>
}

/** The command line as a tree: groups, the one command that is asked for, and the names of the others. */
export function buildProgram(parts: ProgramParts): Parser {
  const { stdout, stderr, env, chosen } = parts
  const root = new Parser('aloft')
    .description('Deploy sites and apps to Aloft.')
    .version(parts.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command...]', 'show help for a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // Whoever catches the error prints it, in the same form as all others.
      outputError: () => {},
      getOutHasColors: () => hasColors(stdout, env),
      getErrHasColors: () => hasColors(stderr, env),
    })
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => command.name(),
      styleTitle: (title) => `\u001b[1m${title}\u001b[22m`,
    })
    .addHelpText('after', rootHelp)
  // A command may mean something of its own by the name of an option that all others take.
  const own = new Set(Object.keys(chosen?.command.options ?? {}).map((name) => `--${kebab(name)}`))
  for (const [flags, about] of GLOBAL_OPTIONS)
    if (!flags.split(' ').some((word) => own.has(word))) root.addOption(new ParserOption(flags, about))

  const nodes = new Map<string, Parser>([['', root]])
  const nodeFor = (words: readonly string[]): Parser => {
    const name = words.join(' ')
    const known = nodes.get(name)
    if (known) return known
    const { summary, examples } = GROUPS[name] ?? { summary: '', examples: [] }
    const node = nodeFor(words.slice(0, -1))
      .command(words.at(-1) ?? '')
      .description(summary)
      .helpCommand(false)
      .addHelpText('after', examplesHelp(examples))
    nodes.set(name, node)
    return node
  }

  for (const entry of COMMANDS) {
    const words = entry.name.split(' ')
    const leaf = nodeFor(words.slice(0, -1))
      .command(words.at(-1) ?? '')
      .summary(entry.summary)
      .description(entry.summary)
    if (chosen?.entry === entry) fill(leaf, chosen.command, parts.onRun)
  }
  return root
}

function fill(leaf: Parser, command: Command, onRun: ProgramParts['onRun']): void {
  const names = Object.keys(command.arguments ?? {})
  if (command.about !== undefined) leaf.description(`${leaf.description()}\n\n${command.about}`)
  for (const [name, { about, required, many }] of Object.entries(command.arguments ?? {})) {
    const term = `${kebab(name)}${many ? '...' : ''}`
    leaf.argument(required ? `<${term}>` : `[${term}]`, about)
  }
  const options = Object.entries(command.options ?? {}).map(([name, option]) => {
    const parsed = parserOption(name, option)
    leaf.addOption(parsed)
    return { name, parsed }
  })
  leaf.addHelpText('after', examplesHelp(command.examples))
  leaf.action((...given: unknown[]) => {
    const typed = leaf.opts()
    const raw: Record<string, Raw[string]> = {}
    for (const { name, parsed } of options) {
      const got = typed[parsed.attributeName()]
      // The parser keeps `--no-wait` as the opposite of `--wait`.
      raw[name] = parsed.negate ? got === false : got
    }
    names.forEach((name, index) => {
      raw[name] = given[index] as Raw[string]
    })
    const globals = { ...leaf.optsWithGlobals() }
    for (const { parsed } of options) delete globals[parsed.attributeName()]
    return onRun(globals, raw)
  })
}

function parserOption(name: string, { about, placeholder, short, many }: Option<unknown>): ParserOption {
  const letter = short === undefined ? '' : `-${short}, `
  const parsed = new ParserOption(
    `${letter}--${kebab(name)}${placeholder === undefined ? '' : ` <${placeholder}>`}`,
    about,
  )
  return many
    ? parsed.argParser((text: string, before?: readonly string[]) => [...(before ?? []), text])
    : parsed
}
