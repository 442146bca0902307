import type { Token } from '../pattern-tokens.ts'
import type { Regex } from '../regex-engine.ts'

/** Compiles a pattern that looks ahead or behind. */
export function compileLookAround(_tokens: readonly Token[], _isCaseSensitive: boolean): Regex {
  throw new Error('look-around is not supported')
}
