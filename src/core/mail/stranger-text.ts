/** Characters that are not seen, or that turn around what is. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]+/gu
const ADDRESS = /[a-z][a-z0-9+.-]*:\/*[^\s"'<>]*\.[^\s"'<>]*|[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi
const LINK = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*|\bwww\.[^\s"'<>]*|\bmailto:\S*/gi
/** What programs that show mails make a link of by themselves. */
const DOT = /(?<=[\p{L}\p{N}])[.。．｡](?=\p{L}{2})/gu

/** What comes after is not shown, whatever is left out before: the expressions take quadratic time. */
const LOOKED_AT = 1000

/**
 * Text that a stranger chose, such as the name of a token or a team, as it stands in a mail of the platform: short, on one
 * line, and without anything that becomes a link, since the mail is trusted for who sends it.
 */
export function strangerText(text: string, longest = 60): string {
  const plain = text
    .slice(0, LOOKED_AT)
    .replace(UNSEEN, ' ')
    .replace(ADDRESS, '[link]')
    .replace(DOT, '[.]')
    .replace(/\s+/g, ' ')
    .trim()
  return shortened(plain, longest)
}

/** A line that a program wrote, for whoever ran it: names of files and its indentation stay, addresses do not. */
export const strangerLine = (text: string): string =>
  shortened(text.slice(0, LOOKED_AT).replace(UNSEEN, ' ').replace(LINK, '[link]').trimEnd(), 240)

function shortened(text: string, longest: number): string {
  const letters = [...text]
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join('')}…`
}
