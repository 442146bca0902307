import type { NavigateOptions } from '@tanstack/react-router'
import type { IconName } from '../ui/icon.tsx'

/** Something that the palette can find: a place to go to, or a thing to do. */
export type Command = {
  /** Fit for the id of an element. */
  readonly id: string
  readonly label: string
  readonly group: string
  readonly icon: IconName
  /** Other words that people look for it by. */
  readonly words?: string
  /** Of the project whose page is open: it comes before what is elsewhere. */
  readonly isNear?: boolean
} & ({ readonly link: NavigateOptions } | { readonly href: string } | { readonly run: () => void })

const MOST = 50

const startsWord = (text: string, word: string): boolean =>
  ` ${text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')}`.includes(` ${word}`)

function rank({ label, words = '', isNear = false, group }: Command, first: string, typed: string): number {
  const name = label.toLowerCase()
  // A project or a domain of exactly this name is what is meant.
  if (name === typed && group !== 'Action') return -10
  const own = name.startsWith(first)
    ? 0
    : startsWord(name, first)
      ? 1
      : name.includes(first)
        ? 2
        : startsWord(words, first)
          ? 3
          : 4
  return own - (isNear ? 2.5 : 0)
}

/** Those that hold every word that was typed: what is near first, then by where the words stand. */
export function matching(commands: readonly Command[], typed: string): readonly Command[] {
  const text = typed.trim().toLowerCase()
  const words = text.split(/\s+/).filter(Boolean)
  const [first = ''] = words
  return commands
    .filter(({ label, group, words: others = '' }) =>
      words.every((word) => `${label} ${group} ${others}`.toLowerCase().includes(word)),
    )
    .map((command) => ({ command, at: first === '' ? 0 : rank(command, first, text) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, MOST)
    .map(({ command }) => command)
}
