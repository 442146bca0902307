import { RE2JS } from 're2js'
import type { Groups } from '../url/template.ts'

/** A regular expression that matches whole texts in linear time. */
export interface Regex {
  readonly match: (text: string) => Groups | undefined
  /** The most work that a character of the text can cost, in steps of the engine. */
  readonly workPerChar: number
  /** How many instructions its program has. */
  readonly size: number
}

/** Throws an Error that says what is wrong with the expression. */
export function compileRegex(source: string, isCaseSensitive = false): Regex {
  const flags = RE2JS.DOTALL | (isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE)
  // The anchors are part of the program because only then can the engine choose its one-pass matcher.
  const regex = RE2JS.compile(`^(?:${RE2JS.translateRegExp(source)})$`, flags).re2()
  const groupCount = regex.numberOfCapturingGroups()
  const size: number = regex.numberOfInstructions()
  return {
    size,
    match: (text) => {
      // Asking for the groups at once keeps the engine off its DFA, whose cache takes up to 8 MB a pattern.
      const bounds: readonly number[] | null = regex.findSubmatchIndex(text)
      return bounds === null ? undefined : readGroups(text, bounds, groupCount)
    },
    // Unless one pass will do, each instruction may be a thread, which carries the groups with it.
    workPerChar: regex.onepass === null ? size * (1 + groupCount / GROUPS_PER_STEP) : 1,
  }
}

const GROUPS_PER_STEP = 32

function readGroups(text: string, bounds: readonly number[], count: number): Groups {
  const groups: (string | undefined)[] = []
  for (let group = 1; group <= count; group++) {
    const start = bounds[2 * group] ?? -1
    groups.push(start < 0 ? undefined : text.slice(start, bounds[2 * group + 1]))
  }
  return groups
}
