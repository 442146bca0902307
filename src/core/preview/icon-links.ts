/** More than this of a page is not looked at. */
const LOOKED_AT = 256 * 1024
const MOST_LINKS = 100

const LINK = /<link\b([^<>]{1,2000})>/gi
const ATTRIBUTE = /([a-z-]{1,20})\s{0,5}=\s{0,5}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi

/** Where a page says that its icons are, those that people see first; a page is whatever somebody wrote. */
export function iconLinks(html: string): readonly string[] {
  const found: { readonly href: string; readonly rank: number }[] = []
  let seen = 0
  for (const [, text = ''] of html.slice(0, LOOKED_AT).matchAll(LINK)) {
    if (++seen > MOST_LINKS) break
    const attributes = new Map(
      [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
        name.toLowerCase(),
        (double ?? single ?? bare ?? '').replaceAll('&amp;', '&').trim(),
      ]),
    )
    const href = attributes.get('href')
    const rank = rankOf(attributes.get('rel') ?? '')
    if (href && rank !== undefined) found.push({ href, rank })
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ href }) => href)
}

function rankOf(rel: string): number | undefined {
  const words = rel.toLowerCase().split(/\s+/)
  if (words.includes('icon')) return 0
  if (words.includes('apple-touch-icon') || words.includes('apple-touch-icon-precomposed')) return 1
  return undefined
}
