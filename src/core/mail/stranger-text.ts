/** Characters that are not seen, or that turn around what is. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]+/gu
const ADDRESS = /[a-z][a-z0-9+.-]*:\/*[^\s"'<>]*\.[^\s"'<>]*|[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi
/** What programs that show mails make a link of by themselves. */
const DOT = /(?<=[\p{L}\p{N}])[.。．｡](?=\p{L}{2})/gu

/**
 * Text that a stranger chose, such as the name of a token or a team, as it stands in a mail of the platform: short, on one
 * line, and without anything that becomes a link, since the mail is trusted for who sends it.
 */
export function strangerText(text: string, longest = 60): string {
  const plain = text
    .replace(UNSEEN, ' ')
    .replace(ADDRESS, '[link]')
    .replace(DOT, '[.]')
    .replace(/\s+/g, ' ')
    .trim()
  const letters = [...plain]
  return letters.length <= longest ? plain : `${letters.slice(0, longest - 1).join('')}…`
}
