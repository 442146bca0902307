import type { Command, Examples } from './command.ts'

export interface Entry {
  /** The words that name it. */
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<{ readonly command: Command }>
}

/** A word that only leads to commands. */
export interface Group {
  readonly summary: string
  readonly examples: Examples
}

/** The commands of one kind of thing, as the `commands.ts` of its folder lists them. */
export interface CommandTable {
  readonly groups?: Readonly<Record<string, Group>>
  /** Other words for its groups and commands, as people know them from elsewhere. */
  readonly synonyms?: Readonly<Record<string, string>>
  readonly commands: readonly (readonly [name: string, summary: string, load: Entry['load']])[]
}
