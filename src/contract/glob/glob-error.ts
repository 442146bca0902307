/** Characters of a pattern. */
export const LONGEST_GLOB = 1024
/** Patterns that the braces of one pattern stand for. */
export const MOST_ALTERNATIVES = 100
/** Steps of all the patterns that one pattern stands for. */
export const MOST_STATES = 2048
/** Groups such as `+(a|b)` within each other. */
export const DEEPEST_GROUP = 4

/** Why a pattern cannot be used, as the end of a sentence: "it is longer than …". */
export class GlobError extends Error {
  override readonly name = 'GlobError'
}
