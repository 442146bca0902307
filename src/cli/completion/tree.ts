import { kebab } from '../command.ts'
import { COMMANDS, GROUPS } from '../commands.ts'
import { GLOBAL_OPTIONS } from '../globals.ts'

/** A word that can come next, and what it means. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

/** What can follow the words of `at`. */
export interface CompletionNode {
  /** Words that lead here, each after a blank: ` teams members`. */
  readonly at: string
  readonly words: readonly Candidate[]
  readonly options: readonly Candidate[]
}

export interface Tree {
  readonly places: readonly CompletionNode[]
  /** Options that are followed by a value, which is no word of a command. */
  readonly withValue: readonly string[]
}

const long = (flags: string): string => /--[\w-]+/.exec(flags)?.[0] ?? flags

/** Everything that can be typed, from the tables that commands are made of. */
export async function buildTree(): Promise<Tree> {
  const globals = GLOBAL_OPTIONS.map(([flags, about]) => ({ word: long(flags), about }))
  const help = { word: '--help', about: 'show help' }
  const withValue = new Set(
    GLOBAL_OPTIONS.filter(([flags]) => flags.includes('<')).map(([flags]) => long(flags)),
  )
  const words = new Map<string, Map<string, string>>()
  const places: CompletionNode[] = []
  for (const { name, summary, load } of COMMANDS) {
    const path = name.split(' ')
    for (const [index, word] of path.entries()) {
      const at = path
        .slice(0, index)
        .map((one) => ` ${one}`)
        .join('')
      const about =
        index === path.length - 1 ? summary : (GROUPS[path.slice(0, index + 1).join(' ')]?.summary ?? '')
      words.set(at, (words.get(at) ?? new Map()).set(word, about))
    }
    const { options = {} } = (await load()).command
    const own = Object.entries(options).map(([key, { about, placeholder, short }]) => {
      const word = `--${kebab(key)}`
      if (placeholder !== undefined) {
        withValue.add(word)
        if (short !== undefined) withValue.add(`-${short}`)
      }
      return { word, about }
    })
    places.push({ at: ` ${name}`, words: [], options: [...own, ...globals, help] })
  }
  const groups = [...words].map(([at, known]) => ({
    at,
    words: [...known].map(([word, about]) => ({ word, about })),
    options: [...globals, help],
  }))
  return { places: [...groups, ...places], withValue: [...withValue] }
}
