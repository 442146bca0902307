import { stripVTControlCharacters } from 'node:util'

/** Text of others, made safe for a terminal: a name cannot move the cursor or start a line of its own. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
