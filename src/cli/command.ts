import type { Cli } from './cli.ts'
import { CliError, usageError } from './exit.ts'

/** An argument: what it is, whether it may be left out, and how its text becomes a value. */
interface Argument<T> {
  readonly about: string
  readonly required: boolean
  /** Takes all the words that are left; only the last argument can. */
  readonly many?: true
  readonly read: (text: string | undefined, words: readonly string[]) => T
}

/** An option. Its name comes from its key: `expiresIn` is `--expires-in`. */
export interface Option<T> {
  readonly about: string
  /** What stands for its value in the help; a flag has none. */
  readonly placeholder?: string
  /** One letter that stands for it as well. */
  readonly short?: string
  /** Can be given several times. */
  readonly many?: true
  readonly read: (given: string | boolean | readonly string[] | undefined) => T
}

type Arguments = Readonly<Record<string, Argument<unknown>>>
type Options = Readonly<Record<string, Option<unknown>>>

type CommandInput<A, O> = { readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never } & {
  readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never
}

/** Command lines without `aloft`, and what they do. */
export type Examples = readonly (readonly [line: string, does: string])[]

interface CommandSpec<A, O> {
  /** Completes "Could not …" when it fails. */
  readonly doing: string
  /** Acts for no account, so that it says that `--team` has no effect. */
  readonly teamless?: true
  readonly about?: string
  readonly arguments?: A
  readonly options?: O
  readonly examples: Examples
  /** What to try, by the code of an API error. */
  readonly hints?: Readonly<Record<string, string>>
  run(cli: Cli, given: CommandInput<A, O>): Promise<void>
}

/** What was typed, before it is read. */
export type Raw = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

export interface Command extends Omit<CommandSpec<Arguments, Options>, 'run'> {
  run(cli: Cli, raw: Raw): Promise<void>
}

export function defineCommand<
  A extends Arguments = Record<never, never>,
  O extends Options = Record<never, never>,
>(spec: CommandSpec<A, O>): Command {
  const { run, ...data } = spec
  return {
    ...data,
    run: (cli, raw) => run(cli, readAll(data, raw) as CommandInput<A, O>),
  }
}

function readAll(
  { arguments: args = {}, options = {} }: { readonly arguments?: Arguments; readonly options?: Options },
  raw: Raw,
): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [name, { read }] of Object.entries(args))
    given[name] = readOne(`<${kebab(name)}>`, () => {
      const typed = raw[name]
      return Array.isArray(typed) ? read(typed[0], typed) : read(typed as string | undefined, [])
    })
  for (const [name, { read }] of Object.entries(options))
    given[name] = readOne(`--${kebab(name)}`, () => read(raw[name]))
  return given
}

function readOne(name: string, read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    throw error instanceof CliError ? error : usageError(`${name}: ${(error as Error).message}.`)
  }
}

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const readText = (text: string): string => {
  if (text.trim() === '') throw new TypeError('it should not be empty')
  return text
}

/** An argument that has to be there; without `read` it is any text that is not empty. */
export function required(about: string): Argument<string>
export function required<T>(about: string, read: (text: string) => T): Argument<T>
export function required(about: string, read: (text: string) => unknown = readText): Argument<unknown> {
  return { about, required: true, read: (text) => read(text ?? '') }
}

export const optional = (about: string): Argument<string | undefined> => ({
  about,
  required: false,
  read: (text) => (text === undefined ? undefined : readText(text)),
})

/** All the words that are left, each of them read. */
export const oneOrMore = (about: string): Argument<readonly string[]> => ({
  ...zeroOrMore(about),
  required: true,
})

export function zeroOrMore(about: string): Argument<readonly string[]>
export function zeroOrMore<T>(about: string, read: (text: string) => T): Argument<readonly T[]>
export function zeroOrMore(
  about: string,
  read: (text: string) => unknown = readText,
): Argument<readonly unknown[]> {
  return { about, required: false, many: true, read: (_text, words) => words.map(read) }
}

export const flag = (about: string): Option<boolean> => ({ about, read: (given) => given === true })

/** An option with a value; undefined when it is not given. */
export function value(placeholder: string, about: string): Option<string | undefined>
export function value<T>(placeholder: string, about: string, read: (text: string) => T): Option<T | undefined>
export function value(
  placeholder: string,
  about: string,
  read: (text: string) => unknown = readText,
): Option<unknown> {
  return { about, placeholder, read: (given) => (typeof given === 'string' ? read(given) : undefined) }
}

/** An option with a value that can be repeated. */
export const values = <T>(
  placeholder: string,
  about: string,
  read: (text: string) => T,
): Option<readonly T[]> => ({
  about,
  placeholder,
  many: true,
  read: (given) => (Array.isArray(given) ? given.map(read) : []),
})

/** The same option, with a letter that stands for it. */
export const short = <T>(letter: string, option: Option<T>): Option<T> => ({ ...option, short: letter })

/** One of a list of words, in either case. */
export const oneOf =
  <const T extends string>(words: readonly T[]) =>
  (text: string): T => {
    const found = words.find((word) => word.toLowerCase() === text.toLowerCase())
    if (found === undefined) throw new TypeError(`"${text}" should be one of ${words.join(', ')}`)
    return found
  }

export const readCount =
  (max: number) =>
  (text: string): number => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (count < 1 || count > max) throw new TypeError(`"${text}" should be a number from 1 to ${max}`)
    return count
  }

/** `on` or `off`. */
export const readSwitch = (text: string): boolean => oneOf(['on', 'off'])(text) === 'on'

/** Any text; `word` stands for nothing at all. */
export const orNull =
  (word: string) =>
  (text: string): string | null =>
    text === word ? null : readText(text)

/** An object without what is undefined, as a change is sent. */
export const given = <T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
